/** Several things that end together. */
export function together(...parts: readonly Disposable[]): Disposable {
  return {
    [Symbol.dispose]() {
      for (const part of parts) part[Symbol.dispose]();
    },
  };
}
