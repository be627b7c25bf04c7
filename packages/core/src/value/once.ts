/**
 * A value that is made when it is first asked for, and then kept: for tables that loading a module should not pay for.
 *
 * @example
 * const words = once(() => new Set(longList));
 * words().has("a");
 */
export function once<T extends {}>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
