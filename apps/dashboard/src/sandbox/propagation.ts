// The page Propagation: Services that lost the routing key of a sandbox on the way.

import type { Stored } from "@homeostat/core";
import { type RouteTable, Sandbox } from "@homeostat/sandbox-operator";
import type { LostKeyRow } from "../api/sandbox-types.ts";
import { refOf } from "./kind-refs.ts";

/**
 * Returns the losses that route servers report in the status of tables, the most frequent first. A loss is reported per sandbox; tables whose entries do
 * not name the sandbox any more are left out.
 */
export function lostKeyRows(tables: readonly Stored<RouteTable>[]): LostKeyRow[] {
  const rows = new Map<string, LostKeyRow>();
  for (const { metadata, spec, status } of tables)
    for (const [uid, { from, to, count, traceId, lastTime }] of Object.entries(status.lostKeys ?? {})) {
      const entry = spec.entries.find(({ sandboxUid }) => sandboxUid === uid);
      if (entry === undefined) continue;
      const { namespace } = metadata;
      const id = [namespace, uid, from, to].join(" ");
      const before = rows.get(id);
      // The tables of several Services may report the same loss.
      if (before !== undefined && before.count >= count) continue;
      rows.set(id, {
        sandbox: refOf(Sandbox, { namespace, name: entry.sandbox }),
        routingKey: entry.routingKey,
        namespace: namespace ?? "",
        from,
        to,
        count,
        traceId,
        lastTime,
      });
    }
  return [...rows.values()].toSorted(
    (one, other) => other.count - one.count || `${one.from} ${one.to}`.localeCompare(`${other.from} ${other.to}`),
  );
}
