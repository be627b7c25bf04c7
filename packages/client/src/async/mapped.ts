/**
 * Applies a function to each value of an iterable.
 *
 * Written out instead of as a generator: `return` of a generator waits for a pending `next`, which on a silent watch never
 * settles. Here `return` closes the source at once.
 */
export function mapped<A, B>(source: AsyncIterable<A>, map: (value: A) => B): AsyncIterableIterator<B> {
  const values = source[Symbol.asyncIterator]();
  let isOver = false;
  const close = async (): Promise<void> => {
    isOver = true;
    await values.return?.();
  };
  const results: AsyncIterableIterator<B> = {
    [Symbol.asyncIterator]: () => results,
    async next() {
      if (isOver) return { done: true, value: undefined };
      const result = await values.next();
      if (result.done === true) {
        isOver = true;
        return { done: true, value: undefined };
      }
      try {
        return { done: false, value: map(result.value) };
      } catch (error) {
        await close();
        throw error;
      }
    },
    async return() {
      await close();
      return { done: true, value: undefined };
    },
  };
  return results;
}
