// Entries of route tables: one route of one sandbox for one baseline Service.

import type { EntryMatch, EntryPort, Fault, PathMatch, RouteEntry } from "@homeostat/routing";
import { withoutUndefined } from "@homeostat/core";
import { compareText } from "./keys.ts";
import type { SandboxRoute } from "./sandbox-routes.ts";
import type { ExplicitRouteView, FaultView, RouteGroupView, SandboxView, ServiceView } from "./views.ts";

/** A sandbox and its route for the Service of the table. */
export interface Contribution {
  readonly sandbox: SandboxView;
  readonly route: SandboxRoute;
}

/** The origin of an entry, by which tables are sorted. */
export interface EntryOrigin {
  readonly entry: RouteEntry;
  /** Index of the explicit route in its group; 0 for other entries. */
  readonly index: number;
  /** Group that contributed the entry. */
  readonly group: RouteGroupView | undefined;
}

/** Returns the entry for the key of a sandbox. */
export function ownEntry(key: string, contribution: Contribution, service: ServiceView): EntryOrigin {
  const faults = contribution.sandbox.faults.filter((fault) => isFaultOf(fault, contribution, service)).map(plainFault);
  return originOf({ ...headOf(key, contribution), source: "Sandbox" }, { contribution, service, faults });
}

/** Returns the entry for the key of a group whose match chose the sandbox. */
export function matchedEntry(
  key: string,
  group: RouteGroupView,
  contribution: Contribution,
  service: ServiceView,
): EntryOrigin {
  const head = { ...headOf(key, contribution), source: "RouteGroup" as const, routeGroup: group.name };
  return originOf(head, { contribution, service, group });
}

/** Returns the entry of an explicit route. */
export function explicitEntry(
  key: string,
  { group, index, route }: { group: RouteGroupView; index: number; route: ExplicitRouteView },
  contribution: Contribution,
  service: ServiceView,
): EntryOrigin {
  const head = {
    ...headOf(key, contribution),
    source: "Explicit" as const,
    routeGroup: group.name,
    ...conditions(route),
  };
  return originOf(head, { contribution, service, group, index });
}

/** Reports whether a route has a destination for at least one port of a Service. Otherwise the table has no entry of the sandbox. */
export function isServing(route: SandboxRoute, service: ServiceView): boolean {
  return route.mode === "Virtual" || portsOf(route, service).length > 0;
}

/** Orders entries of a table: by key, explicit routes first, then by index, sandbox and group. */
export function compareEntries(a: EntryOrigin, b: EntryOrigin): number {
  return (
    compareText(a.entry.routingKey, b.entry.routingKey) ||
    Number(b.entry.source === "Explicit") - Number(a.entry.source === "Explicit") ||
    a.index - b.index ||
    compareText(a.entry.sandbox, b.entry.sandbox) ||
    compareText(a.group?.namespace ?? "", b.group?.namespace ?? "") ||
    compareText(a.group?.name ?? "", b.group?.name ?? "")
  );
}

type Head = Omit<RouteEntry, "onUnavailable" | "holdSeconds" | "sleepAfterSeconds" | "ports" | "middleware">;

function headOf(routingKey: string, { sandbox, route }: Contribution): Omit<Head, "source"> {
  const mode = route.mode === "Fork" ? {} : { mode: route.mode };
  return { routingKey, sandbox: sandbox.name, sandboxUid: sandbox.uid, workload: route.workload, ...mode };
}

interface EntryParts {
  readonly contribution: Contribution;
  readonly service: ServiceView;
  readonly group?: RouteGroupView;
  readonly index?: number;
  readonly faults?: readonly Fault[];
}

function originOf(head: Head, { contribution, service, group, index = 0, faults = [] }: EntryParts): EntryOrigin {
  const { route, sandbox } = contribution;
  const ports = portsOf(route, service);
  const waits = withoutUndefined({ holdSeconds: route.holdSeconds, sleepAfterSeconds: sandbox.sleepAfterSeconds });
  const middleware = {
    ...(faults.length > 0 ? { faults } : {}),
    ...(sandbox.isLogged === true ? { accessLog: true } : {}),
  };
  const extra = Object.keys(middleware).length === 0 ? {} : { middleware };
  return { entry: { ...head, onUnavailable: route.onUnavailable, ...waits, ports, ...extra }, index, group };
}

/**
 * Returns the targets by port. Services of forks and tunnels have the port numbers of the Service that they replace. Ports with the protocol TCP are
 * omitted, because their requests carry no key.
 */
function portsOf({ mode, override }: SandboxRoute, service: ServiceView): EntryPort[] {
  const { targetService } = override;
  if (mode === "Virtual" || targetService === undefined) return [];
  return service.ports
    .filter(({ port, appProtocol }) => override.ports.includes(port) && appProtocol !== "tcp")
    .map(({ port }) => ({ port, targetService, targetPort: port }))
    .sort((a, b) => a.port - b.port);
}

/** Returns the conditions of an explicit route. Defaults are omitted, because tables have a size limit. */
function conditions(route: ExplicitRouteView): Partial<Head> {
  const { percent, stickyBy, stickyHeader } = route;
  const match = canonicalMatch(route.match);
  const headers = Object.entries(route.additionalHeaders).sort(([a], [b]) => compareText(a, b));
  return {
    ...(match === undefined ? {} : { match }),
    ...(percent === 100 ? {} : { percent, stickyBy, ...(stickyHeader === undefined ? {} : { stickyHeader }) }),
    ...(headers.length === 0 ? {} : { additionalHeaders: Object.fromEntries(headers) }),
  };
}

/** A fault names a Service of the namespace of its sandbox. */
function isFaultOf(fault: FaultView, { sandbox }: Contribution, service: ServiceView): boolean {
  return fault.service === service.name && sandbox.namespace === service.namespace;
}

function plainFault(fault: FaultView): Fault {
  const { percent, delayMs, jitterMs, abortCode, abortGrpcStatus } = fault;
  const effect = { percent, delayMs, jitterMs, abortCode, abortGrpcStatus };
  return { ...withoutUndefined(effect), ...canonicalMatch({ paths: fault.paths, methods: fault.methods }) };
}

/**
 * Returns conditions with their fields in a fixed order and without empty lists, or undefined without any condition.
 *
 * Objects that differ only in the order of their fields must give equal tables.
 */
function canonicalMatch({ paths = [], methods = [], headers = [] }: EntryMatch = {}): EntryMatch | undefined {
  if (paths.length + methods.length + headers.length === 0) return undefined;
  return {
    ...(paths.length === 0 ? {} : { paths: paths.map(canonicalPath) }),
    ...(methods.length === 0 ? {} : { methods }),
    ...(headers.length === 0 ? {} : { headers: headers.map(({ name, value }) => ({ name, value })) }),
  };
}

function canonicalPath(path: PathMatch): PathMatch {
  return "exact" in path ? { exact: path.exact } : { prefix: path.prefix };
}
