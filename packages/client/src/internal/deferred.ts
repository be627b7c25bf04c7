/** An iterator that is opened when the first value is asked for. Leaving it closes what was opened, at once. */
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
