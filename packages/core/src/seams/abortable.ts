/**
 * Settles like a promise, or rejects with the reason of the signal if it aborts first.
 *
 * Does not stop the operation behind the promise; its owner must do that. Use it to wait for an operation that ignores the caller's
 * signal, such as a turn in a queue.
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
