import type { Change } from "./history.ts";

/** Callbacks of the store whose changes a journal saves. */
export interface JournalListener<T> {
  /** Called after every change up to a revision was saved. */
  persisted(revision: number): void;
  /**
   * Called with the changes that were accepted and could not be saved, oldest first. The store reverts them before
   * their writers get an error, so that no reader sees a state that was never saved.
   */
  lost(changes: readonly Change<T>[]): void;
  /** Called when a journal that had failed accepts changes again. */
  resumed(): void;
}

/**
 * Persistent storage of the changes of a store.
 *
 * A change is acknowledged to the client, and shown to watchers, only when the journal has saved it.
 */
export interface Journal<T> {
  /** Newest saved revision. */
  readonly persistedRevision: number;
  /** Error that currently prevents changes from being saved; undefined while changes are accepted. */
  readonly failure: Error | undefined;
  /** Queues a change for saving. */
  append(change: Change<T>): void;
  /**
   * Returns a promise that resolves when a revision is saved and rejects if saving failed; undefined if it is saved
   * already.
   */
  persisted(revision: number): Promise<void> | undefined;
  /** Sets the callbacks. A journal has one listener. */
  listen(listener: JournalListener<T>): void;
}
