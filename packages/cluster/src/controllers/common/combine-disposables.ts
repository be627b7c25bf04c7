/** Combines several disposables into one, disposed of in order. */
export function combineDisposables(...parts: readonly Disposable[]): Disposable {
  return {
    [Symbol.dispose]() {
      for (const part of parts) part[Symbol.dispose]();
    },
  };
}
