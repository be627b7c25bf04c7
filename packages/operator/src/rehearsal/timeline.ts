// What an operator reports in a rehearsal of a change: the entries of the timeline, the state of the change, and its summary.

import type { KubeObject, ResourceType } from "@homeostat/core";

/** A change of an object, as a watch reports it. */
export interface ObjectChange<T> {
  /** Time since the beginning of the rehearsed change; negative before it. */
  readonly atMs: number;
  readonly type: "added" | "modified" | "deleted";
  readonly object: T;
  /** The object before the change; undefined if it was added. */
  readonly before: T | undefined;
}

/** Reports changes of objects in the namespace of the primary object. */
export interface ObjectWatcher {
  watch<T extends KubeObject>(type: ResourceType<T>, onChange: (change: ObjectChange<T>) => void): void;
}

/** A line of the timeline. */
export interface TimelineEntry {
  readonly atMs: number;
  /** The subject in one word: `restart`. */
  readonly topic: string;
  readonly text: string;
  /** Further lines. */
  readonly details?: readonly string[] | undefined;
  /** The facts of the text, for JSON output. */
  readonly data?: Readonly<Record<string, string | number | boolean>> | undefined;
}

/** The state of a change at a time. */
export type Outlook =
  /** The change is complete. */
  | { readonly type: "settled"; readonly sinceMs: number }
  /** The change is in progress. */
  | { readonly type: "busy" }
  /** The change does not continue until a user acts. */
  | { readonly type: "blocked" | "failed"; readonly reasons: readonly string[] };

/** A line of the summary. */
export interface SummaryLine {
  readonly name: string;
  readonly text: string;
  /** The number in the text, for JSON output. */
  readonly value?: number | undefined;
}
