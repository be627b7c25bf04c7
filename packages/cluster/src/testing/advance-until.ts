import type { FakeClock } from "@homeostat/core";

/** Pace of {@link advanceUntil}. */
export interface AdvancePace {
  readonly clock: FakeClock;
  /** Virtual time between two checks. */
  readonly stepMs: number;
  /** Number of checks. */
  readonly steps: number;
}

/** Advances a clock until `look` returns a value. */
export async function advanceUntil<T>(
  { clock, stepMs, steps }: AdvancePace,
  look: () => Promise<T | undefined | false>,
  what: string,
): Promise<T> {
  for (let count = 0; count < steps; count += 1) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    await clock.advance(stepMs);
  }
  throw new Error(`timed out waiting for ${what}`);
}
