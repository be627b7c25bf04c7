/**
 * Resolves after timers and sockets that are ready have been served.
 *
 * For long work that goes on in one process with everything else: awaiting a promise that is resolved already gives a turn to
 * other promises only. It takes no time, so it is no business of a Clock; a fake one lets such turns pass.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
