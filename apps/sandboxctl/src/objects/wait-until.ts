import type { CommandContext } from "../command/context.ts";
import { durationText } from "../command/duration.ts";
import { CommandError, exitCodes } from "../command/errors.ts";

/** Result of a check of the cluster: the awaited state, or a description of the missing part. */
export type Found<T> = { readonly done: T } | { readonly missing: string };

/** Options of {@link waitUntil}. */
export interface WaitOptions<T> {
  /** The awaited state, such as `Sandbox shop/pr-42 to be ready`. */
  readonly what: string;
  /** Reads the current state. Throws to give up. */
  readonly look: (signal: AbortSignal) => Promise<Found<T>>;
  readonly timeoutMs: number;
  /** A command that shows more, for the message of a timeout. */
  readonly next: string;
}

const pollMs = 500;

/** Waits for a state of the cluster. Prints what is missing whenever it changes. Throws with the exit code 4 after the timeout. */
export async function waitUntil<T>(
  { what, look, timeoutMs, next }: WaitOptions<T>,
  { clock, note, signal }: Pick<CommandContext, "clock" | "note" | "signal">,
): Promise<T> {
  const until = clock.monotonic() + timeoutMs;
  let said = "";
  for (;;) {
    const found = await look(signal);
    if ("done" in found) return found.done;
    if (found.missing !== said) note(`waiting for ${what}: ${found.missing}`);
    said = found.missing;
    const leftMs = until - clock.monotonic();
    if (leftMs <= 0) {
      throw new CommandError(
        `Timed out after ${durationText(timeoutMs)} waiting for ${what}: ${found.missing}. See ${next}, or set a longer --wait-timeout`,
        exitCodes.timeout,
      );
    }
    await clock.sleep(Math.min(pollMs, leftMs), signal);
  }
}
