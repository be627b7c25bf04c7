import { checkDelay, type Clock, sleepOn, type Timer, timeoutOn } from "./clock.ts";

/** The maximum delay of setTimeout. A longer one would fire at once. */
const pieceMaxMs = 2 ** 31 - 1;

/** The system clock. A program selects its clock once, in `main`, and passes it on. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => sleepOn(systemClock, ms, signal),
  timeout: (ms) => timeoutOn(systemClock, ms),
  schedule,
};

function schedule(ms: number, run: () => void): Timer {
  checkDelay(ms);
  const due = performance.now() + ms;
  let handle: ReturnType<typeof setTimeout>;
  const arm = (): void => {
    const leftMs = Math.max(0, due - performance.now());
    handle = setTimeout(
      () => {
        // Part of a long delay has passed, or the timer fired a fraction of a millisecond early, which Node allows.
        if (performance.now() < due) arm();
        else run();
      },
      Math.min(Math.ceil(leftMs), pieceMaxMs),
    );
  };
  arm();
  return { [Symbol.dispose]: () => clearTimeout(handle) };
}
