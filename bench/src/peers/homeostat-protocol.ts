import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { writeHeapSnapshot } from "node:v8";
import type { RuntimeEvent } from "./protocol.ts";
import { now } from "./time.ts";

/** Command-line options that all runtimes share. */
export interface RuntimeOptions {
  readonly kubeconfig: string;
  readonly work: string;
  /** Namespace to watch; all when undefined. */
  readonly namespace: string | undefined;
  readonly workers: number;
}

export function readOptions(): RuntimeOptions {
  const { values } = parseArgs({
    options: {
      kubeconfig: { type: "string", default: "" },
      work: { type: "string", default: "cache" },
      namespace: { type: "string" },
      workers: { type: "string", default: "1" },
    },
  });
  return { ...values, namespace: values.namespace, workers: Number(values.workers) };
}

/** Writes a line with one system call, as the other runtimes do: a Node stream takes several times as long. */
export function emit(event: RuntimeEvent): void {
  writeSync(1, `${JSON.stringify(event)}\n`);
}

/** Executes commands from standard input. Exits when it ends. */
export function runCommands(reconciles: () => number): void {
  const lines = createInterface({ input: process.stdin });
  lines.on("line", (line) => {
    if (line === "collect") {
      // Like Go's FreeOSMemory: returns free memory to the system.
      globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
      emit({ event: "collected", at: now(), reconciles: reconciles() });
    } else if (line.startsWith("heap ")) {
      writeHeapSnapshot(line.slice("heap ".length));
      emit({ event: "heap", at: now() });
    } else if (line === "quit") process.exit(0);
  });
  lines.on("close", () => process.exit(0));
}
