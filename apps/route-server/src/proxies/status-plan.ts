// Decides which entries of the status of a table, or of an object with endpoints, a replica writes.

import { type DeepReadonly, isEqual } from "@homeostat/core";
import type { RouteTable } from "@homeostat/sandbox-operator";
import type { ProxyCounts } from "./live-proxies.ts";

export type ReplicaEntry = NonNullable<NonNullable<RouteTable["status"]>["replicas"]>[number];

/** A write of the entry of one replica. Without an entry, it is removed. */
export interface EntryWrite {
  readonly replica: string;
  readonly entry: ReplicaEntry | undefined;
}

export interface StatusInput {
  readonly replica: string;
  /** Entries in the status of the object. */
  readonly observed: DeepReadonly<readonly ReplicaEntry[]>;
  /** Version of the content that the counts refer to; undefined if proxies get none. */
  readonly version: string | undefined;
  readonly counts: Pick<ProxyCounts, "total" | "synced"> & Partial<ProxyCounts>;
  /** Names of all replicas that exist; undefined if they are not known, and then no other entry is removed. */
  readonly replicas: ReadonlySet<string> | undefined;
}

/**
 * Returns the writes that an object needs. A replica writes its own entry, if it changed. It also removes entries of replicas that do not
 * exist any more: they ended without removing them, and their proxies are connected to other replicas.
 */
export function planEntries({ replica, observed, version, counts, replicas }: StatusInput): readonly EntryWrite[] {
  const own = observed.find(({ name }) => name === replica);
  const { total, synced, roles } = counts;
  const desired =
    version === undefined || total === 0
      ? undefined
      : { name: replica, version, total, synced, ...(roles && { roles: roles.map((each) => ({ ...each })) }) };
  const dead = observed.filter(({ name }) => name !== replica && replicas !== undefined && !replicas.has(name));
  return [
    ...(isEqual(own, desired) ? [] : [{ replica, entry: desired }]),
    ...dead.map(({ name }) => ({ replica: name, entry: undefined })),
  ];
}
