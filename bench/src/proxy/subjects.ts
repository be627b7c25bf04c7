import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installEnvoy, whyNoEnvoy } from "@homeostat/e2e/envoy";
import { freePorts } from "@homeostat/operator-testing";
import { programImage } from "@homeostat/operator-testing/image";
import { untilOpen } from "../harness/ports.ts";
import { envoyConfig, haproxyConfig, nginxConfig, type ProxyPorts, snapshotText } from "./configs.ts";

/** A process that is measured, or that serves the measurement. */
export interface Subject {
  readonly name: string;
  /** Ports of HTTP/1.1 and of HTTP/2 without TLS. */
  readonly http1: number;
  readonly http2: number;
  readonly process: ChildProcess;
}

const program = fileURLToPath(new URL("../../../apps/proxy/dist/program.js", import.meta.url));

/** Flags of Node in the pods that the sandbox operator creates; there they are in `NODE_OPTIONS`. */
const nodeFlags = ["--expose-gc", "--max-semi-space-size=16"];

/** Starts processes for a benchmark, and ends them with it. */
export class Subjects implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "proxy-bench-"));
  readonly #started: ChildProcess[] = [];
  readonly #onSignal = (): never => {
    for (const child of this.#started) killWithChildren(child);
    process.exit(130);
  };
  #upstream = 0;

  constructor() {
    process.once("SIGINT", this.#onSignal);
    process.once("SIGTERM", this.#onSignal);
  }

  /** Starts the server behind all proxies. */
  async startUpstream(): Promise<Subject> {
    const { http1 } = await this.#ports();
    this.#upstream = http1;
    const path = fileURLToPath(new URL("upstream-process.js", import.meta.url));
    return this.#start("none", { http1, http2: http1 }, process.execPath, [path, String(http1)]);
  }

  /**
   * Starts the routing proxy as its image does, with tables from its snapshot: tables, metrics, time limits and balancing are those of production.
   * The route server does not exist; the proxy tries to connect to it in growing intervals.
   */
  async startProxy(name: string, { node, keys }: { readonly node: string; readonly keys: number }): Promise<Subject> {
    const ports = await this.#ports();
    const file = this.#file(`snapshot-${ports.http1}.json`, snapshotText(ports, keys));
    const token = this.#file("token", "none");
    const options = [
      "--snapshot-file", file, "--host", "127.0.0.1", "--admin-port", String(ports.admin), "--log-level", "error",
      "--route-server", "https://127.0.0.1:1", "--token-file", token, "--ca-file", token,
    ]; // prettier-ignore
    const args = [...nodeFlags, program, ...options];
    return this.#start(name, { http1: ports.http1, http2: ports.http1 }, node, args, programImage("apps/proxy").env);
  }

  /** Starts HAProxy; undefined if it is not installed. */
  async startHaproxy(): Promise<Subject | undefined> {
    const path = onPath("haproxy");
    const ports = await this.#ports();
    if (path === undefined) return undefined;
    return this.#start("HAProxy", ports, path, ["-db", "-f", this.#file("haproxy.cfg", haproxyConfig(ports))]);
  }

  /** Starts nginx; undefined if it is not installed. */
  async startNginx(): Promise<Subject | undefined> {
    const path = onPath("nginx");
    const ports = await this.#ports();
    if (path === undefined) return undefined;
    const file = this.#file("nginx.conf", nginxConfig(ports, this.#folder));
    return this.#start("nginx", ports, path, ["-p", this.#folder, "-c", file]);
  }

  /** Starts Envoy, and installs it the first time; undefined if it cannot be installed. */
  async startEnvoy(): Promise<Subject | undefined> {
    const ports = await this.#ports();
    if ((await whyNoEnvoy()) !== undefined) return undefined;
    const file = this.#file("envoy.json", envoyConfig(ports));
    const options = ["--concurrency", "1", "--use-dynamic-base-id", "--log-level", "error", "-c", file];
    return this.#start("Envoy", ports, await installEnvoy(), options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#started) {
      if (!isRunning(child)) continue;
      const exit = once(child, "exit");
      killWithChildren(child);
      await exit;
    }
    process.off("SIGINT", this.#onSignal);
    process.off("SIGTERM", this.#onSignal);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #ports(): Promise<ProxyPorts> {
    const [http1 = 0, http2 = 0, admin = 0] = await freePorts(3);
    return { http1, http2, admin, upstream: this.#upstream };
  }

  #file(name: string, text: string): string {
    const path = join(this.#folder, name);
    writeFileSync(path, text);
    return path;
  }

  async #start(
    name: string,
    { http1, http2 }: Pick<ProxyPorts, "http1" | "http2">,
    path: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<Subject> {
    const child = spawn(path, args, { stdio: ["ignore", "ignore", "inherit"], env: { ...process.env, ...env } });
    this.#started.push(child);
    for (const port of [http1, http2]) await untilOpen(name, port, child);
    return { name, http1, http2, process: child };
  }
}

/** Returns the CPU time of a process and its children in microseconds. */
export function cpuUs({ process: { pid } }: Subject): number {
  let totalNs = 0;
  for (const each of withChildren(pid))
    for (const task of readdirSync(`/proc/${each}/task`))
      totalNs += Number(readFileSync(`/proc/${each}/task/${task}/schedstat`, "utf8").split(" ")[0]);
  return totalNs / 1_000;
}

/** Returns the resident memory of a process and its children in MiB. */
export function rssMib({ process: { pid } }: Subject): number {
  let kib = 0;
  for (const each of withChildren(pid))
    kib += Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${each}/status`, "utf8"))?.[1] ?? 0);
  return kib / 1_024;
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

/** Kills a process and its children. A worker of nginx whose master was killed would run on, and keep the output of this program open. */
function killWithChildren(child: ChildProcess): void {
  if (!isRunning(child)) return;
  for (const pid of withChildren(child.pid)) {
    try {
      process.kill(Number(pid), "SIGKILL");
    } catch {
      // It has ended by itself: the terminal sends an interrupt to all processes.
    }
  }
}

function withChildren(pid: number | undefined): readonly string[] {
  if (pid === undefined) return [];
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return [String(pid), ...children.split(" ").filter((each) => each !== "")];
}

function onPath(name: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}
