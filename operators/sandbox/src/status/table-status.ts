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

/** Reports the ports whose requests cannot be routed. For tables with the interception Sidecar, unnamed target ports are reported first. */
function portsRoutable({ spec }: CachedRouteTable): Plan["PortsRoutable"] {
  const unnamed =
    spec.interception === "Sidecar" ? spec.ports.filter(({ targetPort }) => targetPort === undefined) : [];
  if (unnamed.length > 0) {
    const numbers = unnamed.map(({ port }) => port).join(", ");
    const reason = "TargetPortsNotNamed";
    const message =
      `Requests of these ports bypass the sidecar, because their targetPort is a number: ${numbers}. ` +
      "Give the container ports names, and use the names in the Service";
    return { status: false, reason, message };
  }
  const opaque = spec.ports.filter(({ appProtocol }) => appProtocol !== undefined && opaqueProtocols.has(appProtocol));
  if (opaque.length === 0) {
    return { status: true, reason: "AllPortsRoutable", message: "Requests of all ports can be routed" };
  }
  const ports = opaque.map(({ port, appProtocol }) => `${port} (${appProtocol})`).join(", ");
  const message = `Requests of these ports carry no routing key and always go to the baseline: ${ports}`;
  return { status: false, reason: "PortsNotRoutable", message };
}
