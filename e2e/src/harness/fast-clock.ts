import { type Clock, systemClock, timeoutOn } from "@homeostat/core";

/**
 * Returns a clock that runs faster than the system clock by a factor. For suites with real clients that would mostly wait.
 *
 * Time limits become shorter as well, so the factor must leave room for a busy machine.
 */
export function fastClock(factor: number): Clock {
  const startedAt = systemClock.now();
  const startedMonotonic = systemClock.monotonic();
  const monotonic = (): number => startedMonotonic + (systemClock.monotonic() - startedMonotonic) * factor;
  const clock: Clock = {
    monotonic,
    now: () => startedAt + monotonic() - startedMonotonic,
    sleep: (ms, signal) => systemClock.sleep(ms / factor, signal),
    schedule: (ms, work) => systemClock.schedule(ms / factor, work),
    timeout: (ms) => timeoutOn(clock, ms),
  };
  return clock;
}
