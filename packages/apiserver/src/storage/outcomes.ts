import type { Entry } from "./entry.ts";
import type { View } from "./view.ts";

/** The value was stored. The write has a revision of its own. */
export interface Written<T> {
  readonly outcome: "written";
  readonly entry: Entry<T>;
}

/** The key was deleted. `revision` is the revision of the deletion, `entry` the last value. */
export interface Deleted<T> {
  readonly outcome: "deleted";
  readonly revision: number;
  readonly entry: Entry<T>;
}

/** Nothing was written because the key exists. */
export interface Exists<T> {
  readonly outcome: "exists";
  readonly current: Entry<T>;
}

/** Nothing was written because the key does not exist. */
export interface Missing {
  readonly outcome: "missing";
}

/** Nothing was written because the current value does not have the revision in `ifRevision`. */
export interface Conflict<T> {
  readonly outcome: "conflict";
  readonly current: Entry<T>;
}

/** The requested revision is compacted. `oldest` is the oldest revision that can be read. */
export interface RevisionCompacted {
  readonly outcome: "compacted";
  readonly oldest: number;
}

/** The requested revision does not exist yet. `newest` is the newest one. */
export interface RevisionFuture {
  readonly outcome: "future";
  readonly newest: number;
}

/** The state at the requested revision. */
export interface Found<T> {
  readonly outcome: "found";
  readonly view: View<T>;
}

/** Result of a create. */
export type CreateOutcome<T> = Written<T> | Exists<T>;

/** Result of an update. */
export type UpdateOutcome<T> = Written<T> | Missing | Conflict<T>;

/** Result of a delete. */
export type DeleteOutcome<T> = Deleted<T> | Missing | Conflict<T>;

/** Result of a read at a revision. */
export type ViewOutcome<T> = Found<T> | RevisionCompacted | RevisionFuture;
