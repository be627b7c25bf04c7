import { checkDelay, type Clock, sleepOn, type Timer, timeoutOn } from "./clock.ts";

/** The longest delay that setTimeout takes; a longer one would fire at once. */
const pieceMaxMs = 2 ** 31 - 1;

/** The clock of the machine. A program makes its choice once, in `main`, and passes it on. */
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
        // A piece of a long delay has passed; or the timer came a fraction of a millisecond early, which it may.
        if (performance.now() < due) arm();
        else run();
      },
      Math.min(Math.ceil(leftMs), pieceMaxMs),
    );
  };
  arm();
  return { [Symbol.dispose]: () => clearTimeout(handle) };
}
