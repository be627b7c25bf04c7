// The route map: Services of the baseline with the preview hosts before them, and the forks and tunnels beside them.

import type { Stored } from "@homeostat/core";
import type { Service } from "@homeostat/kubernetes/core/v1";
import { labels, LocalWorkload, RouteGroup, type RouteTable, Sandbox } from "@homeostat/sandbox-operator";
import type { MapEdge, MapNode, RouteMap } from "../api/sandbox-types.ts";

/** Objects that a map is built from. */
export interface RouteMapInput {
  readonly tables: readonly Stored<RouteTable>[];
  /** Services of the namespaces. Those without routes are shown alone. */
  readonly services: readonly Stored<Service>[];
  readonly workloads: readonly Stored<LocalWorkload>[];
}

type TableEntry = Stored<RouteTable>["spec"]["entries"][number];

/** Returns the map of the Services, at most `servicesMax` of them; those with routes come first. */
export function buildRouteMap(
  { tables, services, workloads }: RouteMapInput,
  { servicesMax }: { readonly servicesMax: number },
): Omit<RouteMap, "notes"> {
  const nodes = new Map<string, MapNode>();
  const edges = new Map<string, MapEdge>();
  const routed = tables.toSorted((one, other) => idOf(one).localeCompare(idOf(other)));
  const isRouted = new Set(routed.map(idOf));
  const plain = services
    .filter((service) => !isRouted.has(idOf(service)) && !isOwn(service))
    .toSorted((one, other) => idOf(one).localeCompare(idOf(other)));
  const shown = routed.slice(0, servicesMax);
  for (const table of shown) addTable(table, { nodes, edges, workloads });
  const rest = plain.slice(0, servicesMax - shown.length);
  for (const { metadata } of rest) {
    const { namespace = "", name } = metadata;
    addService(nodes, { namespace, name, detail: `namespace ${namespace}` });
  }
  const omitted = routed.length + plain.length - shown.length - rest.length;
  return { nodes: [...nodes.values()], edges: [...edges.values()], omitted };
}

interface Graph {
  readonly nodes: Map<string, MapNode>;
  readonly edges: Map<string, MapEdge>;
  readonly workloads: readonly Stored<LocalWorkload>[];
}

function addTable({ metadata, spec }: Stored<RouteTable>, { nodes, edges, workloads }: Graph): void {
  const { namespace = "" } = metadata;
  const service = addService(nodes, { namespace, name: spec.service, detail: `namespace ${namespace}` });
  for (const { host, routingKey, defaultRoutingKey, owner } of spec.hosts ?? []) {
    const key = routingKey ?? defaultRoutingKey ?? "";
    const id = `host ${host}`;
    const ref = {
      ...groupAndKind(owner.kind === "Sandbox" ? Sandbox : RouteGroup),
      namespace: owner.namespace,
      name: owner.name,
    };
    nodes.set(id, { id, type: "host", label: host, detail: `${owner.kind} ${owner.name}`, key, ref });
    addEdge(edges, { from: id, to: service, key, label: key === "" ? "no key" : `key ${key}` });
  }
  for (const entry of spec.entries) {
    const id = `entry ${namespace}/${entry.sandbox}/${entry.workload}`;
    // A fork has the color of the key of its sandbox, also if groups lead to it.
    if (!nodes.has(id) || entry.source === "Sandbox") nodes.set(id, entryNode(id, { namespace, entry, workloads }));
    addEdge(edges, { from: service, to: id, key: entry.routingKey, label: conditionsOf(entry) });
  }
}

function addService(
  nodes: Map<string, MapNode>,
  { namespace, name, detail }: { readonly namespace: string; readonly name: string; readonly detail: string },
): string {
  const id = `service ${namespace}/${name}`;
  const ref = { group: "", kind: "Service", namespace, name };
  nodes.set(id, { id, type: "service", label: name, detail, key: "", ref });
  return id;
}

/** Adds an edge. Several routes between the same two nodes share one. */
function addEdge(edges: Map<string, MapEdge>, edge: MapEdge): void {
  const id = `${edge.from} ${edge.to}`;
  const before = edges.get(id);
  if (before === undefined) edges.set(id, edge);
  else if (!before.label.split("; ").includes(edge.label))
    edges.set(id, { ...before, label: `${before.label}; ${edge.label}` });
}

function entryNode(
  id: string,
  {
    namespace,
    entry,
    workloads,
  }: { readonly namespace: string; readonly entry: TableEntry; readonly workloads: readonly Stored<LocalWorkload>[] },
): MapNode {
  const { sandbox, workload, mode = "Fork", routingKey: key } = entry;
  const common = { id, label: workload, key };
  if (mode === "Local") {
    // The sandbox may be in another namespace than the table; its name and that of its entry identify the tunnel well enough for a link.
    const found = workloads.find(({ spec }) => spec.sandboxRef.name === sandbox && spec.service.name === workload);
    const host = found?.status.connection?.host;
    const state = found?.status.phase ?? "unknown";
    const ref =
      found === undefined
        ? undefined
        : { ...groupAndKind(LocalWorkload), namespace: found.metadata.namespace, name: found.metadata.name };
    return {
      ...common,
      type: "tunnel",
      detail: `sandbox ${sandbox}, tunnel${host === undefined ? "" : ` to ${host}`}: ${state}`,
      ref,
    };
  }
  const type = mode === "Virtual" ? "virtual" : "fork";
  const detail = mode === "Virtual" ? `sandbox ${sandbox}, baseline` : `sandbox ${sandbox}`;
  return { ...common, type, detail, ref: { ...groupAndKind(Sandbox), namespace, name: sandbox } };
}

function groupAndKind({ group, kind }: { readonly group: string; readonly kind: string }) {
  return { group, kind };
}

function conditionsOf({ routingKey, percent = 100, match, routeGroup }: TableEntry): string {
  const paths = (match?.paths ?? []).map(({ prefix, exact }) => prefix ?? exact ?? "");
  return [
    `key ${routingKey}`,
    ...(routeGroup === undefined ? [] : [`group ${routeGroup}`]),
    ...(percent === 100 ? [] : [`${percent} %`]),
    ...(paths.length === 0 ? [] : [`path ${paths.join(" or ")}`]),
    ...(match?.methods === undefined ? [] : [match.methods.join(" or ")]),
    ...(match?.headers ?? []).map(({ name, value }) => `${name}: ${value}`),
  ].join(", ");
}

/** Reports whether a Service belongs to the sandbox environment: that of a fork, a tunnel, a baseline or a proxy. */
function isOwn({ metadata }: Stored<Service>): boolean {
  return metadata.labels?.[labels.sandbox] !== undefined || metadata.labels?.[labels.managedBy] === "sandbox-operator";
}

function idOf({
  metadata: { namespace = "", name },
}: {
  readonly metadata: { readonly namespace?: string | undefined; readonly name: string };
}): string {
  return `${namespace}/${name}`;
}
