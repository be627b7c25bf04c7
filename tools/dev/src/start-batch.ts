import type { BatchOptions } from "./batch.ts";
import { loadTestTracking } from "./test-tracking.ts";

/** Runs compiled test files in this process; see `runBatch`. The program that calls it must not import node:test. */
export async function startBatch(files: readonly string[], options: Omit<BatchOptions, "tracking">): Promise<void> {
  const tracking = await loadTestTracking();
  // Imports node:test, so it is loaded after the line above.
  const { runBatch } = await import("./batch.ts");
  await runBatch(files, { ...options, tracking });
}
