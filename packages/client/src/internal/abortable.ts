/**
 * The outcome of a promise, or a rejection with the signal's reason when that aborts first.
 *
 * What the promise stands for goes on all the same; whoever started it has to look after it.
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
