/**
 * Resolves or rejects as a promise does, or rejects with the reason of the signal when it aborts first.
 *
 * Does not end the work behind the promise: its owner has to. Use it where a caller waits for something that may not heed the
 * caller's signal, such as its turn in a queue.
 *
 * @example
 * await abortable(previousRequest, signal);
 */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise<T>((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    const settle = (): void => {
      signal.removeEventListener("abort", stop);
      promise.then(resolve, reject);
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    promise.then(settle, settle);
  });
}
