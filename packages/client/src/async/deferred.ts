/** Returns an iterator that calls `open` when the first value is requested. Leaving the loop closes the opened iterator at once. */
export function deferred<T>(open: () => Promise<AsyncIterableIterator<T>>): AsyncIterableIterator<T> {
  let opening: Promise<AsyncIterableIterator<T>> | undefined;
  let isOver = false;
  const values: AsyncIterableIterator<T> = {
    [Symbol.asyncIterator]: () => values,
    async next() {
      if (isOver) return { done: true, value: undefined };
      opening ??= open();
      return (await opening).next();
    },
    async return() {
      isOver = true;
      await (await opening)?.return?.();
      return { done: true, value: undefined };
    },
  };
  return values;
}
