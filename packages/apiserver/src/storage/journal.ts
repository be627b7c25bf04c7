import type { Change } from "./history.ts";

/** The owner of a journal: the store whose changes it saves. */
export interface JournalListener<T> {
  /** Called after every change up to a revision was saved. */
  persisted(revision: number): void;
  /**
   * Called with the changes, oldest first, that were accepted and could not be saved. The owner takes them back before their writers
   * get an error, so that no reader is shown a state that was never saved.
   */
  lost(changes: readonly Change<T>[]): void;
  /** Called when a journal that had failed accepts changes again. */
  resumed(): void;
}

/**
 * The place where the changes of a store are saved, so that they outlive the process.
 *
 * A change is acknowledged to a client, and shown to watchers, only when the journal has saved it.
 */
export interface Journal<T> {
  /** The newest revision that is saved. */
  readonly persistedRevision: number;
  /** The error that keeps changes from being saved at the moment; undefined while changes are accepted. */
  readonly failure: Error | undefined;
  /** Accepts a change, to be saved soon. */
  append(change: Change<T>): void;
  /** Settles when a revision is saved, and rejects when saving failed; `undefined` when it is saved already. */
  persisted(revision: number): Promise<void> | undefined;
  /** Sets the owner, which is told what happens to changes. */
  listen(listener: JournalListener<T>): void;
}
