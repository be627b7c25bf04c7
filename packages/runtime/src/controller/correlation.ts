import { AsyncLocalStorage } from "node:async_hooks";
import type { ReconcileReads } from "../history/reconcile-reads.ts";

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
  /** Returns the record of reads of the reconcile that the calling code is part of; undefined outside of a reconcile, and if reads are not recorded. */
  readonly reads: () => ReconcileReads | undefined;
  /** Calls a function as part of a reconcile: everything that it calls and awaits belongs to the reconcile. */
  readonly within: <R>(reconcile: ReconcileName, work: () => R, reads?: ReconcileReads) => R;
}

/** A reconcile, and the correlation that it belongs to. */
interface Entry {
  readonly owner: symbol;
  readonly reconcile: ReconcileName;
  readonly reads: ReconcileReads | undefined;
}

/**
 * Storage of all correlations of the process. A storage of Node 20 that was used once adds a cost to every promise until the process ends, so that a
 * process with many managers, such as a test suite, would become slower with each of them.
 */
const storage = new AsyncLocalStorage<Entry>();

/** Creates a {@link Correlation} based on Node's `AsyncLocalStorage`. It knows only the reconciles that were started with it. */
export function correlate(): Correlation {
  const owner = Symbol("correlation");
  const current = (): Entry | undefined => {
    const entry = storage.getStore();
    return entry?.owner === owner ? entry : undefined;
  };
  return {
    current: () => current()?.reconcile.id,
    reconcile: () => current()?.reconcile,
    reads: () => current()?.reads,
    within: (reconcile, work, reads) => storage.run({ owner, reconcile, reads }, work),
  };
}
