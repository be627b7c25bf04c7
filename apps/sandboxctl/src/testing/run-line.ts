// Runs command lines in tests, without a process.

import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "@homeostat/client";
import { type Clock, systemClock, systemRandom } from "@homeostat/core";
import type { Cluster, CommandContext, Machine } from "../command/context.ts";
import { run } from "../run.ts";

/** Output and exit code of a command line. */
export interface Finished {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Options of {@link runLine}. */
export interface RunLineOptions {
  /** Client of the user; undefined if the command must not connect. */
  readonly client?: Client;
  /** Namespace of the kubeconfig. */
  readonly namespace?: string;
  /** Standard input. */
  readonly input?: string;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  readonly machine?: Partial<Machine>;
  /** Opens connections to the API server. */
  readonly dial?: Cluster["dial"];
  /** Called with each line of standard error. */
  readonly onNote?: (line: string) => void;
  /** Called with each line of standard output. */
  readonly onPrint?: (line: string) => void;
}

/** A command that has not ended by then is interrupted, so a failed test does not wait for it for ever. */
const endsMs = 60_000;

/**
 * Runs a command line. A text is split at spaces; pass words if one of them contains a space. Throws if the command does not end within a
 * minute.
 */
export async function runLine(line: string | readonly string[], options: RunLineOptions = {}): Promise<Finished> {
  const out: string[] = [];
  const err: string[] = [];
  const words = typeof line === "string" ? line.split(" ").filter((word) => word !== "") : line;
  const limit = AbortSignal.timeout(endsMs);
  const signal = options.signal === undefined ? limit : AbortSignal.any([options.signal, limit]);
  const code = await run(words, testContext({ ...options, signal }, out, err));
  if (limit.aborted)
    throw new Error(
      `sandboxctl ${words.join(" ")} did not end within ${endsMs} ms. It printed:\n${[...out, ...err].join("\n")}`,
    );
  return { code, out: out.join("\n"), err: err.join("\n") };
}

function testContext(options: RunLineOptions, out: string[], err: string[]): CommandContext {
  const { client, namespace: home = "shop", input = "", clock = systemClock, machine = {} } = options;
  return {
    print: (text) => {
      out.push(text);
      options.onPrint?.(text);
    },
    note: (text) => {
      err.push(text);
      options.onNote?.(text);
    },
    readInput: async () => input,
    connect: async ({ namespace = home }) => {
      if (client === undefined) throw new Error("This command must not connect to a cluster");
      const dial = options.dial ?? (() => Promise.reject(new Error("This command must not open connections")));
      return { client, namespace, serverClock: clock, dial, [Symbol.dispose]: () => undefined };
    },
    signal: options.signal ?? new AbortController().signal,
    clock,
    random: systemRandom,
    machine: {
      env: {},
      configFolder: join(tmpdir(), "sandboxctl-without-configuration"),
      stateFolder: join(tmpdir(), "sandboxctl-without-state"),
      host: "laptop",
      ...machine,
    },
  };
}
