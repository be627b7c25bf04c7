/**
 * Returns a function that computes a value on first use and caches it. Use it for tables that should not slow down the loading of a
 * module.
 *
 * @example
 * const words = once(() => new Set(longList));
 * words().has("a");
 */
export function once<T extends {}>(make: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= make());
}
