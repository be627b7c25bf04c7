import { type Clock, FakeClock, nextTurn, systemClock } from "@homeostat/core";
import { EventuallyTimeoutError } from "../errors.ts";

/** Options of {@link eventually}. */
export interface EventuallyOptions {
  /** A `FakeClock` is advanced between two attempts, so that virtual time passes instead of real time. Default: the system clock. */
  readonly clock?: Clock;
  /** Time limit on the clock. Default: 30 seconds, or 10 minutes of virtual time. */
  readonly timeoutMs?: number;
  /** Time between two attempts on the clock. Default: 20 ms, or 250 ms of virtual time. */
  readonly stepMs?: number;
}

/** Event loop turns after each step of virtual time: requests without sockets need one turn each. */
const turnsPerStep = 4;

/**
 * Repeats an attempt until it neither throws nor returns false, and returns its value. Throws an `EventuallyTimeoutError` with the error of the last
 * attempt as its cause.
 *
 * @example
 * await eventually(async () => {
 *   const site = await client.get(Site, { namespace: "default", name: "shop" });
 *   assert.equal(site?.status?.replicas, 2);
 * });
 */
export async function eventually<T>(
  attempt: () => T | Promise<T>,
  options?: EventuallyOptions,
): Promise<Exclude<T, false>>;
export async function eventually(
  attempt: () => unknown,
  { clock = systemClock, ...limits }: EventuallyOptions = {},
): Promise<unknown> {
  const isVirtual = clock instanceof FakeClock;
  const { timeoutMs = isVirtual ? 600_000 : 30_000, stepMs = isVirtual ? 250 : 20 } = limits;
  const endAt = clock.monotonic() + timeoutMs;
  for (;;) {
    let cause: unknown = new Error("the attempt returned false");
    try {
      const value = await attempt();
      if (value !== false) return value;
    } catch (error) {
      cause = error;
    }
    if (clock.monotonic() >= endAt) {
      const unit = isVirtual ? "ms of virtual time" : "ms";
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new EventuallyTimeoutError(`Not true within ${timeoutMs} ${unit}: ${reason}`, { cause });
    }
    await step(clock, stepMs);
  }
}

async function step(clock: Clock, ms: number): Promise<void> {
  if (!(clock instanceof FakeClock)) return clock.sleep(ms);
  await clock.advance(ms);
  for (let count = 0; count < turnsPerStep; count += 1) await nextTurn();
}
