import type { Clock } from "@homeostat/core";
import type { Logger } from "../log/logger.ts";
import type { Part } from "./part.ts";
import { within } from "./within.ts";

/** Time for parts to return after their signal was aborted. */
const abortMs = 2_000;

/** Options of {@link stopParts}. */
export interface StopOptions {
  readonly graceMs: number;
  /** Reason of the signals that abort the parts. */
  readonly reason: Error;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Stops parts: waits up to `graceMs` for running work, then aborts it. Parts that ignore the abort are still running afterwards. */
export async function stopParts(parts: readonly Part[], { graceMs, reason, clock, log }: StopOptions): Promise<void> {
  const all = Promise.all(parts.map(({ ended }) => ended));
  for (const part of parts) part.stop(reason);
  if (await within(clock, graceMs, all)) return;
  const running = parts.filter(({ isRunning }) => isRunning);
  log.warn("Grace period exceeded, aborting", { parts: running.map(({ name }) => name), graceMs });
  for (const part of running) part.abort(reason);
  await within(clock, abortMs, all);
}
