import { AsyncLocalStorage } from "node:async_hooks";

/**
 * Knows which run of a reconciler the present code belongs to, so that requests can be marked with its id.
 *
 * @example
 * const correlation = correlate();
 * const transport = layered(sockets, [withCorrelation(correlation.current)]);
 */
export interface Correlation {
  /** The id of the run that the calling code is part of; undefined outside of any. */
  readonly current: () => string | undefined;
  /** Does some work as part of a run: whatever it calls and awaits sees the id. */
  readonly within: <R>(id: string, work: () => R) => R;
}

/**
 * Makes a {@link Correlation} by means of Node's `AsyncLocalStorage`.
 *
 * Make one for a program and no more: each slows everything that is awaited a little, for as long as the program lasts.
 */
export function correlate(): Correlation {
  const storage = new AsyncLocalStorage<string>();
  return { current: () => storage.getStore(), within: (id, work) => storage.run(id, work) };
}
