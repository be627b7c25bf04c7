import type { JsonRecord } from "@homeostat/core";

/** Identifies the objects of a resource in one namespace or in all. */
export interface StoredKind {
  /** Empty for the core group. */
  readonly group: string;
  /** The plural: `pods`. */
  readonly resource: string;
  /** Empty for cluster-scoped kinds; in a list also for all namespaces. */
  readonly namespace: string;
}

/** Identifies a stored object. */
export interface StoredName extends StoredKind {
  readonly name: string;
}

/**
 * Reads stored objects synchronously, at the newest revision. Objects are in their storage version and must not be
 * modified.
 *
 * Lists are in key order: by namespace, then by name.
 */
export interface ClusterReader {
  get(name: StoredName): JsonRecord | undefined;
  list(kind: StoredKind): readonly JsonRecord[];
}
