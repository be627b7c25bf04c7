import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { writeHeapSnapshot } from "node:v8";
import type { ContestantEvent } from "./protocol.ts";
import { now } from "./time.ts";

/** The command line that all contestants share. */
export interface ContestantOptions {
  readonly kubeconfig: string;
  readonly work: string;
  /** Only this namespace; all when undefined. */
  readonly namespace: string | undefined;
  readonly workers: number;
}

export function readOptions(): ContestantOptions {
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

/** Writes a line, by one call of the system as the other contestants do: a stream of Node takes several times as long. */
export function emit(event: ContestantEvent): void {
  writeSync(1, `${JSON.stringify(event)}\n`);
}

/** Does what standard input says, until it ends; then the process ends. */
export function obey(reconciles: () => number): void {
  const lines = createInterface({ input: process.stdin });
  lines.on("line", (line) => {
    if (line === "collect") {
      // As Go's FreeOSMemory: what is free goes back to the system.
      globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
      emit({ event: "collected", at: now(), reconciles: reconciles() });
    } else if (line.startsWith("heap ")) {
      writeHeapSnapshot(line.slice("heap ".length));
      emit({ event: "heap", at: now() });
    } else if (line === "quit") process.exit(0);
  });
  lines.on("close", () => process.exit(0));
}
