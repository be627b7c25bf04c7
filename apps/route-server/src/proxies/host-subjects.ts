import type { Client } from "@homeostat/client";
import { RouteGroup, Sandbox } from "@homeostat/sandbox-operator";
import type { TableFeed } from "../feed/table-feed.ts";
import type { ClusterHosts, EndpointObject } from "../observe/cluster-hosts.ts";
import type { LiveProxies, ProxyCounts } from "./live-proxies.ts";
import type { StatusSubjects } from "./status-writer.ts";

/** Returns the Sandboxes and RouteGroups with endpoints as objects with counts of gateways. */
export function hostSubjects({
  client,
  feed,
  hosts,
  proxies,
}: {
  readonly client: Pick<Client, "apply">;
  readonly feed: TableFeed;
  readonly hosts: ClusterHosts;
  readonly proxies: LiveProxies;
}): StatusSubjects {
  return {
    ids: () => hosts.ids(),
    concerned: ({ role }) => (role === "gateway" ? hosts.ids() : []),
    find(id) {
      const found = hosts.find(id);
      if (found === undefined) return undefined;
      const { kind, object, version, endpoints } = found;
      const { name = "", namespace = "", uid = "" } = object.metadata;
      return {
        uid,
        observed: object.status?.gateways ?? [],
        version: endpoints === 0 ? undefined : version,
        counts: countsOf(found, { feed, proxies }),
        apply: ({ entry }, fieldManager) => {
          const metadata = { name, namespace, uid };
          const status = { gateways: entry === undefined ? [] : [entry] };
          const options = { subresource: "status", fieldManager, force: true } as const;
          return kind === "Sandbox"
            ? client.apply(Sandbox, { metadata, status }, options)
            : client.apply(RouteGroup, { metadata, status }, options);
        },
      };
    },
  };
}

/** Counts the gateways that serve all hosts of an object. A host that another object has, or without a Service, is served by none. */
function countsOf(
  { hosts, endpoints }: EndpointObject,
  { feed, proxies }: { readonly feed: TableFeed; readonly proxies: LiveProxies },
): Pick<ProxyCounts, "total" | "synced"> {
  const counts = hosts.flatMap((key) => {
    const record = feed.host(key);
    return record === undefined ? [] : [proxies.count(record)];
  });
  const total = Math.max(0, ...counts.map((each) => each.total));
  return { total, synced: counts.length < endpoints ? 0 : Math.min(...counts.map((each) => each.synced)) };
}
