/**
 * Resolves in the next turn of the event loop, after ready timers and sockets were served.
 *
 * Use it in long computations so that they do not block the process: awaiting a resolved promise lets only other promises run. It is
 * independent of a `Clock`, because no time passes; a `FakeClock` lets such turns pass while it advances.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/**
 * Calls a function at the end of the current turn of the event loop, after the sockets that are ready now were served. Use it to combine the work of
 * one turn, such as the writes to a socket. It is independent of a `Clock` for the same reason as {@link nextTurn}.
 */
export function atEndOfTurn(run: () => void): void {
  setImmediate(run);
}
