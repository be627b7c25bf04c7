import { AsyncLocalStorage } from "node:async_hooks";

/** Identity of a reconcile in logs. */
export interface ReconcileName {
  /** ID of the reconcile in logs, spans and the audit log. */
  readonly id: string;
  readonly controller: string;
  /** `namespace/name` of the primary object. */
  readonly key: string;
}

/**
 * Access to the reconcile that the calling code is part of. Requests carry its ID, and unhandled rejections are attributed to its
 * controller.
 *
 * @example
 * const correlation = correlate();
 * const transport = layered(sockets, [withCorrelation(correlation.current)]);
 */
export interface Correlation {
  /** Returns the ID of the reconcile that the calling code is part of; undefined outside of a reconcile. */
  readonly current: () => string | undefined;
  /** Returns the reconcile that the calling code is part of; undefined outside of a reconcile. */
  readonly reconcile: () => ReconcileName | undefined;
  /** Calls a function as part of a reconcile: everything that it calls and awaits belongs to the reconcile. */
  readonly within: <R>(reconcile: ReconcileName, work: () => R) => R;
}

/**
 * Creates a {@link Correlation} based on Node's `AsyncLocalStorage`.
 *
 * Create one per process only: each instance adds a small cost to every `await` until the process ends.
 */
export function correlate(): Correlation {
  const storage = new AsyncLocalStorage<ReconcileName>();
  return {
    current: () => storage.getStore()?.id,
    reconcile: () => storage.getStore(),
    within: (reconcile, work) => storage.run(reconcile, work),
  };
}
