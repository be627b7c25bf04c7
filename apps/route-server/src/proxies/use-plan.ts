// Decides which uses of preview tokens a replica writes into the status of a table.

import type { DeepReadonly } from "@homeostat/core";
import { type RouteTable, usedTokensMax } from "@homeostat/sandbox-operator";

/** Sum of the uses of a token at one replica. */
export interface UseSum {
  readonly count: number;
  readonly lastUsedAt: string;
}

/** Changes of `status.tokenUses` of one table; null removes a token, or the entry of a replica. */
export type UsesPatch = Record<string, Record<string, UseSum | null> | null>;

/**
 * Entries of one token above which those of replicas that no longer exist are removed, oldest first. The operator has copied them to the PreviewLink
 * long before: the name of a replica changes only when its pod is replaced.
 */
export const useEntriesMax = 8;

export interface UsesInput {
  readonly table: DeepReadonly<Pick<RouteTable, "spec"> & { status?: Pick<RouteTable["status"], "tokenUses"> }>;
  /** Tokens with new uses. */
  readonly ids: Iterable<string>;
  /** Uses at this replica, by token. */
  readonly sums: ReadonlyMap<string, UseSum>;
  readonly replica: string;
  /** Names of all replicas that exist; undefined if they are not known. */
  readonly replicas: ReadonlySet<string> | undefined;
}

/** Returns the changes: new uses of tokens that a host of the table accepts, and the removal of revoked tokens. */
export function planUses({ table: { spec, status }, ids, sums, replica, replicas }: UsesInput): UsesPatch {
  const accepted = new Set((spec.hosts ?? []).flatMap(({ tokens }) => tokens ?? []));
  const recorded = status?.tokenUses ?? {};
  const patch: UsesPatch = {};
  for (const id of Object.keys(recorded)) if (!accepted.has(id)) patch[id] = null;
  let room = usedTokensMax - Object.keys(recorded).length;
  for (const id of ids) {
    const sum = sums.get(id);
    if (sum === undefined || !accepted.has(id)) continue;
    const entries = recorded[id];
    // The API server would refuse the whole patch. There is room again when tokens are revoked.
    if (entries === undefined && room-- <= 0) continue;
    const gone = goneReplicas(entries ?? {}, replicas);
    patch[id] = { ...Object.fromEntries(gone.map((name) => [name, null])), [replica]: sum };
  }
  return patch;
}

/** Returns the replicas whose entries are removed. */
function goneReplicas(
  entries: Readonly<Record<string, UseSum>>,
  replicas: ReadonlySet<string> | undefined,
): readonly string[] {
  const names = Object.keys(entries);
  if (replicas === undefined || names.length <= useEntriesMax) return [];
  return names
    .filter((name) => !replicas.has(name))
    .sort((a, b) => ((entries[a]?.lastUsedAt ?? "") < (entries[b]?.lastUsedAt ?? "") ? -1 : 1))
    .slice(0, names.length - useEntriesMax);
}
