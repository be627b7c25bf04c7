// Routes of users that are attached to a Service.

import type { RouteTable } from "@homeostat/routing";
import { fieldManager, labels } from "../api/identity.ts";
import type { RouteKind, SourceRule } from "./gateway-rules.ts";
import type { BackendRef, GrpcRoute, HttpRoute, MeshRoute, ParentRef, ValueMatch } from "./gateway-types.ts";

/** Rules with the same host names. */
export interface SourceGroup<M> {
  readonly hostnames: readonly string[];
  /** Rules by precedence. */
  readonly sources: readonly SourceRule<M>[];
  /** True for the default rule, which belongs to no object of the user and must be part of a rendered one. */
  readonly isDefault: boolean;
}

/** The port of a Service that routes are attached to. */
export interface ParentPort {
  readonly table: RouteTable;
  readonly port: number;
}

/**
 * Returns the rules that the routes of a key are derived from: those of the user's routes, or the default rule. A Service with any route rejects
 * requests that match none, so without routes of the user the default rule sends all other requests to the Service.
 */
export function sourceGroups<K extends string, M extends { readonly headers?: readonly ValueMatch[] }>(
  routes: readonly MeshRoute<K, M>[],
  parent: ParentPort,
  { kind, any }: { readonly kind: RouteKind<M>; readonly any: M },
): readonly SourceGroup<M>[] {
  const attached = routes.filter((route) => isAttached(route, parent));
  if (attached.length === 0) {
    const rule = { backendRefs: [{ name: parent.table.service, port: parent.port }] };
    const source = { rule, match: any, leadsToService: true, origin: undefined };
    return [{ hostnames: [], sources: [source], isDefault: true }];
  }
  const groups = new Map<string, MeshRoute<K, M>[]>();
  for (const route of attached.sort(compareRoutes)) {
    const key = JSON.stringify((route.spec.hostnames ?? []).toSorted());
    groups.set(key, [...(groups.get(key) ?? []), route]);
  }
  return [...groups.values()].map((members) => ({
    hostnames: members[0]?.spec.hostnames ?? [],
    sources: byPrecedence(
      members.flatMap((route) => sourcesOf(route, parent, any)),
      kind,
    ),
    isDefault: false,
  }));
}

/**
 * Returns the kind of the oldest route that is attached to a port; undefined without routes. Routes of two kinds on one port conflict, and
 * the mesh accepts the oldest one.
 */
export function attachedKind(
  { http, grpc }: { readonly http: readonly HttpRoute[]; readonly grpc: readonly GrpcRoute[] },
  parent: ParentPort,
): "HTTPRoute" | "GRPCRoute" | undefined {
  const attached = [...http, ...grpc].filter((route) => isAttached(route, parent));
  return attached.sort(compareRoutes)[0]?.kind;
}

/** Reports whether a backend is the Service itself. */
export function isServiceRef(
  { group = "", kind = "Service", name, namespace, port }: BackendRef,
  { table, port: own }: ParentPort,
): boolean {
  const isLocal = namespace === undefined || namespace === table.namespace;
  return group === "" && kind === "Service" && name === table.service && isLocal && (port ?? own) === own;
}

function isAttached({ metadata, spec }: MeshRoute<string, unknown>, parent: ParentPort): boolean {
  const isOurs = metadata.labels?.[labels.managedBy] === fieldManager;
  const isLocal = metadata.namespace === parent.table.namespace;
  return !isOurs && isLocal && (spec.parentRefs ?? []).some((ref) => isParent(ref, parent));
}

/** Some meshes write the core group as `core`. */
function isParent({ group, kind, name, namespace, port }: ParentRef, { table, port: own }: ParentPort): boolean {
  const isCore = group === "" || group === "core";
  const isLocal = namespace === undefined || namespace === table.namespace;
  return isCore && kind === "Service" && name === table.service && isLocal && (port ?? own) === own;
}

/** Compares routes by precedence: the oldest first, then by name. */
function compareRoutes(a: MeshRoute<string, unknown>, b: MeshRoute<string, unknown>): number {
  const rank = ({ metadata }: MeshRoute<string, unknown>): string =>
    `${metadata.creationTimestamp ?? ""} ${metadata.namespace}/${metadata.name}`;
  return rank(a) < rank(b) ? -1 : 1;
}

function sourcesOf<K extends string, M>(
  { metadata, spec }: MeshRoute<K, M>,
  parent: ParentPort,
  any: M,
): readonly SourceRule<M>[] {
  return (spec.rules ?? []).flatMap((rule, index) => {
    const { matches = [], backendRefs = [] } = rule;
    const leadsToService = backendRefs.some((ref) => isServiceRef(ref, parent));
    const origin = `rule ${index} of ${metadata.name}`;
    return (matches.length === 0 ? [any] : matches).map((match) => ({ rule, match, leadsToService, origin }));
  });
}

/** Sorts rules by precedence. Matches with regular expressions come first, because their precedence is implementation-specific. */
function byPrecedence<M extends { readonly headers?: readonly ValueMatch[] }>(
  sources: readonly SourceRule<M>[],
  { algebra }: RouteKind<M>,
): readonly SourceRule<M>[] {
  const hasRank = ({ match }: SourceRule<M>): boolean => algebra.compareRank(match, match) === 0;
  return [
    ...sources.filter((source) => !hasRank(source)),
    ...sources.filter(hasRank).sort((a, b) => algebra.compareRank(a.match, b.match)),
  ];
}
