import type { Entry } from "./entry.ts";
import type { View } from "./view.ts";

/** The value is stored, under a revision of its own. */
export interface Written<T> {
  readonly outcome: "written";
  readonly entry: Entry<T>;
}

/** The key is gone. `revision` is that of the deletion, `entry` the last value. */
export interface Deleted<T> {
  readonly outcome: "deleted";
  readonly revision: number;
  readonly entry: Entry<T>;
}

/** Nothing was written: the key is taken. */
export interface Exists<T> {
  readonly outcome: "exists";
  readonly current: Entry<T>;
}

/** Nothing was written: there is no such key. */
export interface Missing {
  readonly outcome: "missing";
}

/** Nothing was written: the value is not of the revision that the caller knows. */
export interface Conflict<T> {
  readonly outcome: "conflict";
  readonly current: Entry<T>;
}

/** The state of that revision is forgotten. The oldest that is known is `oldest`. */
export interface RevisionCompacted {
  readonly outcome: "compacted";
  readonly oldest: number;
}

/** That revision has not been yet. The newest is `newest`. */
export interface RevisionFuture {
  readonly outcome: "future";
  readonly newest: number;
}

/** The state at the revision that was asked for. */
export interface Found<T> {
  readonly outcome: "found";
  readonly view: View<T>;
}

/** What became of a create. */
export type CreateOutcome<T> = Written<T> | Exists<T>;

/** What became of an update. */
export type UpdateOutcome<T> = Written<T> | Missing | Conflict<T>;

/** What became of a delete. */
export type DeleteOutcome<T> = Deleted<T> | Missing | Conflict<T>;

/** What became of a look at an earlier revision. */
export type ViewOutcome<T> = Found<T> | RevisionCompacted | RevisionFuture;
