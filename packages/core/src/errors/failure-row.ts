import { once } from "../value/once.ts";
import type { ErrorClass } from "./error.ts";

/**
 * What became of a write that failed.
 *
 * - `not-applied`: the server did not do it.
 * - `unknown`: it may have been done, or may still be; look at the live object before trying again.
 */
export type WriteOutcome = "not-applied" | "unknown";

/** What the tables of failures say about one kind of failure. */
export interface FailureRow {
  readonly errorClass: ErrorClass;
  readonly outcome: WriteOutcome;
  /** What happened, as a clause: `"nothing listens at that address"`. */
  readonly meaning: string;
  /** What to do now, as a sentence. */
  readonly advice: string;
}

/** A row as the tables write it: key, class, outcome of a write, meaning, advice. */
export type WrittenRow<K> = readonly [K, ErrorClass, WriteOutcome, string, string];

/**
 * A table of failures by key, put together when something has failed. A map, so that a key such as `constructor` finds
 * nothing.
 */
export function failureTable<K>(rows: () => readonly WrittenRow<K>[]): () => ReadonlyMap<K, FailureRow> {
  return once(
    () =>
      new Map(
        rows().map(([key, errorClass, outcome, meaning, advice]) => [key, { errorClass, outcome, meaning, advice }]),
      ),
  );
}
