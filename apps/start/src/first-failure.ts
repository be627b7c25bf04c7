/** Returns a promise that rejects with the first error passed to `fail`. */
export function firstFailure(): { readonly failure: Promise<never>; readonly fail: (error: unknown) => void } {
  let fail: (error: unknown) => void = () => undefined;
  const failure = new Promise<never>((_, reject) => {
    fail = reject;
  });
  // Without a handler, a failure that happens when nothing awaits the promise would be an unhandled rejection.
  failure.catch(() => undefined);
  return { failure, fail };
}
