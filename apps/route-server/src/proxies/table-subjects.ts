import type { Client } from "@homeostat/client";
import type { DeepReadonly } from "@homeostat/core";
import { hostsVersion, RouteTable } from "@homeostat/sandbox-operator";
import { selectsKey } from "../feed/filter.ts";
import { hostKeyOf } from "../feed/host-key.ts";
import type { TableFeed } from "../feed/table-feed.ts";
import type { ClusterHosts } from "../observe/cluster-hosts.ts";
import type { ClusterTables } from "../observe/cluster-tables.ts";
import { type LiveProxies, noProxies } from "./live-proxies.ts";
import type { ServedHosts } from "./status-plan.ts";
import type { StatusSubjects } from "./status-writer.ts";

export interface TableSubjectsOptions {
  readonly client: Pick<Client, "apply">;
  readonly feed: TableFeed;
  readonly tables: ClusterTables;
  readonly hosts: Pick<ClusterHosts, "isOf">;
  readonly proxies: LiveProxies;
}

/** Returns the RouteTables as objects with counts of proxies. */
export function tableSubjects({ client, feed, tables, hosts, proxies }: TableSubjectsOptions): StatusSubjects {
  return {
    *ids() {
      for (const { metadata } of tables.objects()) yield `${metadata.namespace}/${metadata.name}`;
    },
    *concerned(filter, after) {
      for (const { key, contentSince } of feed.records())
        if (contentSince > after && selectsKey(filter, key)) yield key;
      if (filter.role !== "gateway") return;
      for (const { key, contentSince, host } of feed.hosts())
        if (contentSince > after && selectsKey(filter, key)) yield `${host.namespace}/${host.service}`;
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
        hosts: servedHosts(key, object, { feed, hosts, proxies }),
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

/** Returns the confirmations of the preview hosts of a table; undefined if it has none. */
function servedHosts(
  key: string,
  { metadata: { namespace = "" }, spec }: DeepReadonly<RouteTable>,
  { feed, hosts, proxies }: Pick<TableSubjectsOptions, "feed" | "hosts" | "proxies">,
): ServedHosts | undefined {
  if (spec.hosts === undefined || spec.hosts.length === 0) return undefined;
  const isServed = ({ host }: { readonly host: string }): boolean => {
    const record = hosts.isOf(key, host) ? feed.host(hostKeyOf({ namespace, host })) : undefined;
    if (record === undefined) return false;
    const { total, synced } = proxies.count(record);
    return synced === total;
  };
  const unserved = spec.hosts.filter((each) => !isServed(each)).map(({ host }) => host);
  return {
    version: hostsVersion(spec.hosts),
    gateways: proxies.gatewaysOf(namespace),
    ...(unserved.length > 0 && { unserved }),
  };
}
