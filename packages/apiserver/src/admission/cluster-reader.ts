import type { JsonRecord } from "@homeostat/core";

/** Names the objects of a resource, in one namespace or in all. */
export interface StoredKind {
  /** Empty for the core group. */
  readonly group: string;
  /** The plural: `pods`. */
  readonly resource: string;
  /** Empty for kinds without one, and for all of them in a list. */
  readonly namespace: string;
}

/** Names one stored object. */
export interface StoredName extends StoredKind {
  readonly name: string;
}

/**
 * Reads what is stored, now and at once. Objects are in the version they are stored in; nobody changes them.
 *
 * Lists are in the order of keys: by namespace, then by name.
 */
export interface ClusterReader {
  get(name: StoredName): JsonRecord | undefined;
  list(kind: StoredKind): readonly JsonRecord[];
}
