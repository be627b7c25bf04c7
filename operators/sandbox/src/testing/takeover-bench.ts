// A shop whose Services are taken over, and a stand-in for the route server.

import { isEqual } from "@homeostat/core";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Service } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/identity.ts";
import { proxyName } from "../api/names.ts";
import { RouteTable } from "../api/route-table.ts";
import { selectsProxy } from "../build/taken-over-service.ts";
import { type Bench, conditionOf, namespace } from "./bench.ts";

/** Ready proxies of a namespace as the Deployment reports them; undefined if it does not exist. */
export async function readyProxies(bench: Bench, home: string = namespace): Promise<number | undefined> {
  const found = await bench.client.get(Deployment, { namespace: home, name: proxyName });
  return found === undefined ? undefined : (found.status?.readyReplicas ?? 0);
}

/**
 * Confirms all tables of a namespace with listening ports, as the route server does when its proxies have: each ready proxy counts as
 * connected, and so does a gateway, which must not count for a takeover.
 */
export async function confirmTables(bench: Bench, home: string = namespace): Promise<void> {
  const total = (await readyProxies(bench, home)) ?? 0;
  for (const { metadata, spec, status } of (await bench.client.list(RouteTable, { namespace: home })).items) {
    const counts = replicaCounts(spec.version, total);
    if (isEqual(status?.replicas, [counts])) continue;
    await bench.client.patch(
      RouteTable,
      { namespace: home, name: metadata.name ?? "" },
      { merge: { status: { replicas: [counts] } } },
      { subresource: "status" },
    );
  }
}

/** Returns the entry of a replica of the route server with these proxies of takeovers, and a gateway. */
export function replicaCounts(version: string, total: number) {
  const roles = [
    { role: "gateway" as const, total: 1, synced: 1 },
    { role: "takeover" as const, total, synced: total },
  ];
  return { name: "route-server-0", version, total: total + 1, synced: total + 1, roles };
}

/** Advances time and confirms tables until a condition holds. */
export async function untilConfirmed(
  bench: Bench,
  what: string,
  look: () => Promise<boolean>,
  home: string = namespace,
): Promise<void> {
  await bench.until(what, async () => {
    await confirmTables(bench, home);
    return look();
  });
}

export async function serviceOf(bench: Bench, name: string, home: string = namespace): Promise<Service> {
  return bench.existing(Service, { namespace: home, name });
}

/** Waits until a Service routes to the proxy and the table says so. */
export async function untilTakenOver(bench: Bench, name: string, home: string = namespace): Promise<Service> {
  await untilConfirmed(
    bench,
    `${name} is taken over`,
    async () => {
      const table = await bench.client.get(RouteTable, { namespace: home, name });
      return (
        selectsProxy(await serviceOf(bench, name, home)) &&
        conditionOf(table ?? {}, "TakenOver")?.startsWith("True TakenOver") === true
      );
    },
    home,
  );
  return serviceOf(bench, name, home);
}

/** Asks for the takeover of a Service. */
export async function askForTakeover(bench: Bench, name: string, home: string = namespace): Promise<void> {
  const merge = { metadata: { annotations: { [annotations.interception]: "Takeover" } } };
  await bench.client.patch(Service, { namespace: home, name }, { merge });
}
