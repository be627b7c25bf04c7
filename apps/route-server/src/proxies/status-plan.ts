// Decides which entries of the status of a table a replica writes.

import { type DeepReadonly, isEqual } from "@homeostat/core";
import type { RouteTable } from "@homeostat/sandbox-operator";
import type { ProxyCounts } from "./live-proxies.ts";

export type ReplicaEntry = NonNullable<NonNullable<RouteTable["status"]>["replicas"]>[number];

/** Confirmations of the preview hosts of a table. */
export type ServedHosts = NonNullable<ReplicaEntry["hosts"]>;

/** A write of the entry of one replica. Without an entry, it is removed. */
export interface EntryWrite {
  readonly replica: string;
  readonly entry: ReplicaEntry | undefined;
}

export interface StatusInput {
  readonly replica: string;
  /** Entries in the status of the table. */
  readonly observed: DeepReadonly<readonly ReplicaEntry[]>;
  /** Version of the content that the counts refer to; undefined if proxies get none. */
  readonly version: string | undefined;
  readonly counts: ProxyCounts;
  /** Confirmations of its preview hosts; undefined if it has none. */
  readonly hosts?: ServedHosts | undefined;
  /** Names of all replicas that exist; undefined if they are not known, and then no other entry is removed. */
  readonly replicas: ReadonlySet<string> | undefined;
}

/**
 * Returns the writes that a table needs. A replica writes its own entry, if it changed. It also removes entries of replicas that no longer exist:
 * they ended without removing them, and their proxies are connected to other replicas.
 */
export function planEntries({
  replica,
  observed,
  version,
  counts,
  hosts,
  replicas,
}: StatusInput): readonly EntryWrite[] {
  const own = observed.find(({ name }) => name === replica);
  const { total, synced, roles } = counts;
  const desired =
    version === undefined || total === 0
      ? undefined
      : {
          name: replica,
          version,
          total,
          synced,
          roles: roles.map((each) => ({ ...each })),
          ...(hosts !== undefined && { hosts }),
        };
  const dead = observed.filter(({ name }) => name !== replica && replicas !== undefined && !replicas.has(name));
  return [
    ...(isEqual(own, desired) ? [] : [{ replica, entry: desired }]),
    ...dead.map(({ name }) => ({ replica: name, entry: undefined })),
  ];
}
