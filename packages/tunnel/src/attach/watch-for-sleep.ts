import type { Clock, Timer } from "@homeostat/core";

const tickMs = 5_000;
/** A jump of the time of day that counts as sleep. Smaller ones are a busy machine or a corrected clock. */
const jumpMs = 15_000;

/**
 * Calls a function each time when the machine has slept. The monotonic clock stands still during sleep, and the time of day does not: timers that fire
 * on time while the time of day has jumped show it.
 */
export function watchForSleep(clock: Clock, onWake: () => void): Timer {
  let timer: Timer;
  let before = clock.now();
  const tick = (): void => {
    const now = clock.now();
    const isJump = now - before > tickMs + jumpMs;
    before = now;
    timer = clock.schedule(tickMs, tick);
    if (isJump) onWake();
  };
  timer = clock.schedule(tickMs, tick);
  return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
}
