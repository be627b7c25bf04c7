// The conditions of a RouteTable, from its content and from what the route server counts.

import { findCondition } from "@homeostat/core";
import type { StatusPlan } from "@homeostat/runtime";
import type { CachedRouteTable, RouteTable } from "../api/route-table.ts";
import { countProxies, interceptingRole, type ProxyCounts } from "../decide/proxy-counts.ts";
import { concernsTakeover } from "../decide/takeover.ts";
import { limited, meshProgrammed } from "./mesh-status.ts";

/** Protocols of ports that carry no routing key. */
const opaqueProtocols: ReadonlySet<string> = new Set(["tcp", "kubernetes.io/tcp", "tls", "mysql", "redis", "mongo"]);

/**
 * Returns the status of a table. The counts of proxies in it come from the replicas of the route server. The takeover controller writes the
 * conditions TakenOver and Conflict of a takeover.
 */
export function tableStatus(table: CachedRouteTable): StatusPlan<RouteTable> {
  const proxies = countProxies(table, interceptingRole(table));
  const { replicas, proxies: before } = table.status ?? {};
  const isCounted = replicas !== undefined || before !== undefined;
  const isSynced = proxies.total > 0 && proxies.synced === proxies.total;
  return {
    fields: {
      observedGeneration: table.metadata.generation ?? 0,
      ...(isCounted ? { proxies } : {}),
      ...(isSynced ? { syncedVersion: table.spec.version } : {}),
    },
    conditions: {
      Programmed: programmed(table, proxies),
      Limited: limited(table),
      ...(concernsTakeover(table) ? {} : noTakeover),
      PortsRoutable: portsRoutable(table),
    },
  };
}

/** The conditions of a table without a takeover. The takeover controller does not write them, because that would be a second write. */
const noTakeover = {
  TakenOver: { status: false, reason: "NotNeeded", message: "The Service is not taken over" },
  Conflict: { status: false, reason: "NoConflict", message: "No other client changes the Service" },
} as const;

type Plan = NonNullable<StatusPlan<RouteTable>["conditions"]>;

function programmed(table: CachedRouteTable, { total, synced }: ProxyCounts): Plan["Programmed"] {
  const { interception, version } = table.spec;
  if (interception === "None") {
    const message = "No proxy intercepts requests of this Service; call the Services of forks directly";
    return { status: true, reason: "NoProxies", message };
  }
  if (interception === "Mesh") return meshProgrammed(table);
  // Before the counts of proxies: a sidecar confirms the table, but no request reaches it.
  const bypassing = bypassingPorts(table);
  const routed = routedPorts(table);
  if (routed.length > 0 && routed.every((port) => bypassing.some((each) => each.port === port)))
    return { status: false, reason: "TargetPortsNotNamed", message: bypassingMessage(table, bypassing) };
  if (total === 0) {
    return { status: false, reason: "WaitingForProxies", message: "No proxy follows this table" };
  }
  if (synced < total) {
    const message = `${synced} of ${total} proxies have confirmed version ${version}`;
    return { status: false, reason: "WaitingForProxies", message };
  }
  const takenOver = findCondition(table.status?.conditions ?? [], "TakenOver");
  if (interception === "Takeover" && takenOver?.status !== "True") {
    const message = takenOver?.message ?? "";
    return { status: false, reason: "WaitingForProxies", message: `The Service is not taken over. ${message}`.trim() };
  }
  return { status: true, reason: "Programmed", message: `All ${total} proxies have confirmed version ${version}` };
}

type Port = CachedRouteTable["spec"]["ports"][number];

/** Returns the ports whose requests bypass the sidecar, because the Service has a number as target port. */
function bypassingPorts({ spec: { interception, ports } }: CachedRouteTable): readonly Port[] {
  if (interception !== "Sidecar") return [];
  return ports.filter(({ targetPort }) => targetPort === undefined || /^\d+$/.test(targetPort));
}

/** Returns the ports that the routes of a table concern. */
function routedPorts({ spec: { entries, ports } }: CachedRouteTable): readonly number[] {
  // A virtual entry has no targets of its own.
  return entries.flatMap((entry) => (entry.ports.length > 0 ? entry.ports : ports).map(({ port }) => port));
}

function bypassingMessage({ spec: { service } }: CachedRouteTable, bypassing: readonly Port[]): string {
  const fields = bypassing.map(({ port, targetPort }) => `${targetPort ?? "a number"} (port ${port})`).join(", ");
  return (
    `Requests bypass the sidecar where spec.ports[].targetPort of Service ${service} is a number: ${fields}. ` +
    "Give each container port a name and use it as targetPort, or use the interception Takeover, which needs no names"
  );
}

/** Reports the ports whose requests cannot be routed. For tables with the interception Sidecar, numeric target ports are reported first. */
function portsRoutable(table: CachedRouteTable): Plan["PortsRoutable"] {
  const bypassing = bypassingPorts(table);
  if (bypassing.length > 0)
    return { status: false, reason: "TargetPortsNotNamed", message: bypassingMessage(table, bypassing) };
  const { spec } = table;
  const opaque = spec.ports.filter(({ appProtocol }) => appProtocol !== undefined && opaqueProtocols.has(appProtocol));
  if (opaque.length === 0) {
    return { status: true, reason: "AllPortsRoutable", message: "Requests of all ports can be routed" };
  }
  const ports = opaque.map(({ port, appProtocol }) => `${port} (${appProtocol})`).join(", ");
  const message = `Requests of these ports carry no routing key and always go to the baseline: ${ports}`;
  return { status: false, reason: "PortsNotRoutable", message };
}
