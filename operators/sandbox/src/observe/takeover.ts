// Reads the state of the takeover of one Service.

import { isEqual, keyOf, microsToMs, parseMicroTime } from "@homeostat/core";
import type { Deployment } from "@homeostat/kubernetes/apps/v1";
import { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import type { DeepReadonly } from "homeostat";
import { fieldManager, labels } from "../api/identity.ts";
import { baselineServiceName, proxyName } from "../api/names.ts";
import type { CachedRouteTable } from "../api/route-table.ts";
import { buildBaseService } from "../build/base-service.ts";
import { isPublishedWith, listenPortOf, type ListenPorts } from "../build/listen-ports.ts";
import { buildProxyDeployment, hasFields, type ProxyOptions } from "../build/proxy-objects.ts";
import { type CachedService, viewService } from "../build/service-view.ts";
import { holdOf, lastRevertOf, takeoverState } from "../build/taken-over-service.ts";
import { ineligibility } from "../decide/eligible-service.ts";
import { restrictingPolicies } from "../decide/network-policies.ts";
import { countProxies } from "../decide/proxy-counts.ts";
import type { TakeoverInput, TakeoverRecord } from "../decide/takeover.ts";
import type { TakeoverContext } from "./takeover-kinds.ts";

/** Objects of a takeover. */
export interface ObservedTakeover {
  readonly service: CachedService | undefined;
  readonly base: CachedService | undefined;
  readonly ports: ListenPorts;
  readonly input: TakeoverInput;
  /** Names of the NetworkPolicies that limit connections to the baseline or to the proxy. */
  readonly restrictedBy: readonly string[];
}

/** Reads the Service, the Service of its baseline and the proxy from the cache, and the endpoints while they matter. */
export async function observeTakeover(
  context: TakeoverContext,
  options: { readonly lingerMs: number; readonly proxy: Omit<ProxyOptions, "namespace"> },
): Promise<ObservedTakeover> {
  const { object: table, key, namespace, name, watched, serverClock } = context;
  const service = watched.services.get(key);
  const base = watched.services.get({ namespace, name: baselineServiceName(name) });
  const deployment = watched.proxies.get({ namespace, name: proxyName });
  const ports = table.status?.listenPorts ?? {};
  const isDeleted = table.metadata.deletionTimestamp !== undefined;
  const isTakeover = table.spec.interception === "Takeover";
  const record = readRecord(table);
  const state = takeoverState(service, ports);
  const isReleased = state === "original" && record.takenOverAt !== undefined && record.releasedAt === undefined;
  const isDesired = isTakeover && !isDeleted && table.spec.entries.length > 0;
  const input: TakeoverInput = {
    isDesired,
    isUrgent: isDeleted || !isTakeover,
    problem: service && (ineligibility(service) ?? foreignBase(base)),
    service: state,
    holdUntil: holdOf(service),
    ports: portState(service, ports),
    base: baseState(service, base),
    proxy: proxyState(deployment, { ...options.proxy, namespace }),
    readyProxies: deployment?.status?.readyReplicas ?? 0,
    confirmations: confirmations(table, ports),
    hasProxyEndpoints: !isDesired && isReleased && (await hasProxyEndpoints(context, ports)),
    record,
    lastRevertOfService: lastRevertOf(service),
    lingerMs: options.lingerMs,
    now: serverClock.now(),
  };
  const restrictedBy =
    service === undefined
      ? []
      : restrictingPolicies(watched.networkPolicies.list({ namespace }), viewService(service).selector);
  return { service, base: isOurs(base) ? base : undefined, ports, input, restrictedBy };
}

/** Reads the times in the status of a table. */
export function readRecord({ status }: CachedRouteTable): TakeoverRecord {
  const { phase, takenOverAt, unusedSince, releasedAt, reverts = [] } = status?.takeover ?? {};
  const ms = (time: string | undefined): number | undefined =>
    time === undefined ? undefined : microsToMs(parseMicroTime(time));
  return {
    phase,
    takenOverAt: ms(takenOverAt),
    unusedSince: ms(unusedSince),
    releasedAt: ms(releasedAt),
    reverts: reverts.flatMap((time) => ms(time) ?? []),
  };
}

function isOurs(service: CachedService | undefined): boolean {
  return service?.metadata.labels?.[labels.managedBy] === fieldManager;
}

/** A Service of another client is never overwritten, even if it has the name that a takeover needs. */
function foreignBase(base: CachedService | undefined): string | undefined {
  if (base === undefined || isOurs(base)) return undefined;
  return `Service ${keyOf(base)} exists and is not managed by the operator; rename or delete it`;
}

function portState(service: CachedService | undefined, ports: ListenPorts): TakeoverInput["ports"] {
  if (Object.keys(ports).length === 0) return "none";
  const isComplete = (service?.spec?.ports ?? []).every(({ port }) => listenPortOf(ports, port) !== undefined);
  return isComplete ? "complete" : "incomplete";
}

function baseState(service: CachedService | undefined, base: CachedService | undefined): TakeoverInput["base"] {
  if (base === undefined || !isOurs(base)) return "absent";
  if (service === undefined) return "current";
  const { spec, metadata } = buildBaseService(service);
  // hasFields alone would accept labels that were removed from the selector of the original.
  const isCurrent =
    isEqual(base.spec?.selector ?? {}, spec?.selector ?? {}) &&
    hasFields(base.spec, spec) &&
    hasFields(base.metadata.ownerReferences, metadata.ownerReferences);
  return isCurrent ? "current" : "outdated";
}

function proxyState(deployment: DeepReadonly<Deployment> | undefined, options: ProxyOptions): TakeoverInput["proxy"] {
  if (deployment === undefined || deployment.metadata.deletionTimestamp !== undefined) return "absent";
  return hasFields(deployment.spec, buildProxyDeployment(options).spec) ? "current" : "outdated";
}

/**
 * Counts only takeover proxies that confirmed the current table, because gateways and sidecars do not open its ports. The confirmation of a version
 * without the listening ports does not prove that the proxy listens on them.
 */
function confirmations(table: CachedRouteTable, ports: ListenPorts): TakeoverInput["confirmations"] {
  const { total, synced } = countProxies(table, "takeover");
  return { total, synced: isPublishedWith(table.spec.version, ports) ? synced : 0 };
}

/** Reports whether endpoints of the Service have a port of the proxy. Read from the API server, because no cache has EndpointSlices. */
async function hasProxyEndpoints(
  { client, namespace, name, signal }: TakeoverContext,
  ports: ListenPorts,
): Promise<boolean> {
  const listening = new Set(Object.values(ports));
  const labelSelector = `kubernetes.io/service-name=${name}`;
  const { items } = await client.list(EndpointSlice, { namespace, labelSelector, signal });
  return items.some(
    (slice) =>
      (slice.endpoints ?? []).length > 0 && slice.ports?.some(({ port }) => port !== undefined && listening.has(port)),
  );
}
