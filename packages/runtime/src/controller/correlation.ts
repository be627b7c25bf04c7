import { AsyncLocalStorage } from "node:async_hooks";

/** A reconcile, as logs name it. */
export interface ReconcileName {
  /** The id in logs, spans and the audit log. */
  readonly id: string;
  readonly controller: string;
  /** `namespace/name` of the primary object. */
  readonly key: string;
}

/**
 * Knows which reconcile the present code belongs to, so that requests can be marked with its id and failures that nobody handles
 * can be attributed to a controller.
 *
 * @example
 * const correlation = correlate();
 * const transport = layered(sockets, [withCorrelation(correlation.current)]);
 */
export interface Correlation {
  /** Returns the id of the reconcile that the calling code is part of; undefined outside of any. */
  readonly current: () => string | undefined;
  /** Returns the reconcile that the calling code is part of. */
  readonly reconcile: () => ReconcileName | undefined;
  /** Does some work as part of a reconcile: whatever it calls and awaits sees the name. */
  readonly within: <R>(reconcile: ReconcileName, work: () => R) => R;
}

/**
 * Makes a {@link Correlation} by means of Node's `AsyncLocalStorage`.
 *
 * Make one for a program and no more: each slows everything that is awaited a little, for as long as the program lasts.
 */
export function correlate(): Correlation {
  const storage = new AsyncLocalStorage<ReconcileName>();
  return {
    current: () => storage.getStore()?.id,
    reconcile: () => storage.getStore(),
    within: (reconcile, work) => storage.run(reconcile, work),
  };
}
