import type { Client } from "@homeostat/client";
import { RouteTable } from "@homeostat/sandbox-operator";
import { selectsKey } from "../feed/filter.ts";
import type { TableFeed } from "../feed/table-feed.ts";
import type { ClusterTables } from "../observe/cluster-tables.ts";
import { type LiveProxies, noProxies } from "./live-proxies.ts";
import type { StatusSubjects } from "./status-writer.ts";

/** Returns the RouteTables as objects with counts of proxies. */
export function tableSubjects({
  client,
  feed,
  tables,
  proxies,
}: {
  readonly client: Pick<Client, "apply">;
  readonly feed: TableFeed;
  readonly tables: ClusterTables;
  readonly proxies: LiveProxies;
}): StatusSubjects {
  return {
    *ids() {
      for (const { metadata } of tables.objects()) yield `${metadata.namespace}/${metadata.name}`;
    },
    *concerned(filter, after) {
      for (const { key, contentSince } of feed.records())
        if (contentSince > after && selectsKey(filter, key)) yield key;
    },
    find(key) {
      const object = tables.object(key);
      if (object === undefined) return undefined;
      const record = feed.record(key);
      const { name, namespace = "", uid } = object.metadata;
      return {
        uid,
        observed: object.status?.replicas ?? [],
        version: record?.table.version,
        counts: record === undefined ? noProxies : proxies.count(record),
        apply: ({ entry }, fieldManager) =>
          client.apply(
            RouteTable,
            { metadata: { name, namespace, uid }, status: { replicas: entry === undefined ? [] : [entry] } },
            { subresource: "status", fieldManager, force: true },
          ),
      };
    },
  };
}
