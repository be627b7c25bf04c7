// The program of apps/proxy with tables of a test. It reads them from its snapshot file, so no route server is needed.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultRoutingSettings, type RouteTable } from "@homeostat/routing";
import { BackgroundProgram } from "./background-program.ts";
import { repository } from "./repository.ts";

/** Options of {@link startRoutingProxy}. */
export interface RoutingProxyOptions {
  readonly tables: readonly RouteTable[];
  readonly engine?: "fast" | "safe";
  /** Node binary that runs the program. Default: that of the test. */
  readonly node?: string;
  /** Value of `--limits`. */
  readonly limits?: string;
  /** True to start it with the highest number of open files that is allowed here. */
  readonly raisesFileLimit?: boolean;
}

/** A running proxy. */
export interface RoutingProxyProcess extends AsyncDisposable {
  /** End of the log. */
  readonly output: string;
  readonly pid: number | undefined;
}

/** Replaces the shell by a program, after the limit of open files was raised. */
const raised = 'ulimit -n "$(ulimit -Hn)"; exec "$0" "$@"';

/** Starts the proxy and waits until it listens on the ports of all tables. */
export async function startRoutingProxy({
  tables,
  engine = "fast",
  node = process.execPath,
  limits = "",
  raisesFileLimit = false,
}: RoutingProxyOptions): Promise<RoutingProxyProcess> {
  const folder = mkdtempSync(join(tmpdir(), "routing-proxy-"));
  const snapshot = join(folder, "tables.json");
  writeFileSync(snapshot, JSON.stringify({ format: 1, settings: defaultRoutingSettings, tables }));
  const main = join(repository, "apps/proxy/dist/main.js");
  const flags = {
    engine,
    host: "127.0.0.1",
    "admin-port": "0",
    "snapshot-file": snapshot,
    "log-level": "warn",
    limits,
  };
  const words = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  // There is no route server; the proxy goes on with its snapshot.
  const command = [node, "--conditions=development", main, ...words, "--ca-file=/dev/null"];
  const [first = node, ...rest] = raisesFileLimit ? ["bash", "-c", raised, ...command] : command;
  const program = new BackgroundProgram(first, rest);
  const ports = tables.flatMap((table) => table.ports.flatMap(({ listen }) => listen ?? []));
  const stop = async (): Promise<void> => {
    await program[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await program.listening(ports.map((port) => ({ host: "127.0.0.1", port })));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    get output() {
      return program.output;
    },
    pid: program.pid,
    [Symbol.asyncDispose]: stop,
  };
}
