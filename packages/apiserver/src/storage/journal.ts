import type { Change } from "./history.ts";

/**
 * Where a store's changes are written down, so that they outlive the process.
 *
 * A change is acknowledged to a client, and shown to watchers, only when the journal has it.
 */
export interface Journal<T> {
  /** The newest revision that is written down. */
  readonly persistedRevision: number;
  /** Why nothing can be written any more, if so. */
  readonly failure: Error | undefined;
  /** Takes a change in, to be written down soon. */
  append(change: Change<T>): void;
  /** Settles when a revision is written down, and rejects when that has failed; `undefined` when it is already. */
  persisted(revision: number): Promise<void> | undefined;
  /** Says who is told when more is written down. */
  listen(listener: (revision: number) => void): void;
}
