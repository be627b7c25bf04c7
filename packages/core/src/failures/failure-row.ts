import { once } from "../value/once.ts";
import type { ErrorClass } from "../errors/error.ts";

/**
 * The outcome of a failed write: whether it took effect.
 *
 * - `not-applied`: it did not.
 * - `unknown`: it may have taken effect, or may still do so; check the live object before retrying.
 */
export type WriteOutcome = "not-applied" | "unknown";

/** An entry of a failure table. */
export interface FailureRow {
  readonly errorClass: ErrorClass;
  readonly outcome: WriteOutcome;
  /** The failure, as a clause: `"the connection was refused"`. */
  readonly meaning: string;
  /** The remedy, as a sentence. */
  readonly advice: string;
}

/** A row in compact form: key, class, outcome of a write, meaning, advice. */
export type WrittenRow<K> = readonly [K, ErrorClass, WriteOutcome, string, string];

/**
 * Returns a function that returns a failure table, built on first use. It is a `Map`, so that a key such as `constructor` is not
 * found.
 */
export function failureTable<K>(rows: () => readonly WrittenRow<K>[]): () => ReadonlyMap<K, FailureRow> {
  return once(
    () =>
      new Map(
        rows().map(([key, errorClass, outcome, meaning, advice]) => [key, { errorClass, outcome, meaning, advice }]),
      ),
  );
}
