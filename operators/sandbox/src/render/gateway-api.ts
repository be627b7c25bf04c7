// Renders route tables as routes of the Gateway API that are attached to the Service (the mesh profile, GAMMA).

import type { RoutingSettings, RouteTable } from "@homeostat/routing";
import { annotations, managedSelector } from "../api/identity.ts";
import { rulesOfKey, type RouteKind } from "./gateway-rules.ts";
import {
  type BackendRef,
  type GrpcMatch,
  type GrpcRoute,
  type HttpMatch,
  type HttpRoute,
  type MeshRoute,
  type ReferenceGrant,
  routeLimits,
  type RouteMeta,
  type RouteRule,
  type ValueMatch,
} from "./gateway-types.ts";
import { anyGrpcRequest, grpcAlgebra, grpcMatches } from "./grpc-matches.ts";
import { anyHttpRequest, httpAlgebra, httpMatches } from "./http-matches.ts";
import { baggageTest, escapeRegex, type HeaderTest, keyForms } from "./key-forms.ts";
import { type Limitation, type LimitationName, Limitations } from "./limitation.ts";
import { baseline, type Destination, type PlannedRoute, planRoutes } from "./route-plan.ts";
import { attachedKind, isServiceRef, type SourceGroup, sourceGroups } from "./user-routes.ts";

/** Input of the renderer. */
export interface GatewayInput {
  readonly table: RouteTable;
  readonly settings: RoutingSettings;
  /** False for headless Services and Services without a selector, which cannot be parents of routes. */
  readonly isServiceSupported: boolean;
  /** True if the mesh accepts regular expressions in matches. */
  readonly isRegexSupported: boolean;
  /** Routes of users in the namespace of the Service. Others affect callers of their own namespace only. */
  readonly userRoutes: { readonly http: readonly HttpRoute[]; readonly grpc: readonly GrpcRoute[] };
  /** Namespaces of Services of workloads that are not in the namespace of the table. */
  readonly targetNamespaces?: ReadonlyMap<string, TargetNamespace>;
}

/** The namespace of the Service of a workload. */
export interface TargetNamespace {
  readonly namespace: string;
  /** True if a policy of that namespace allows references from the namespace of the table. */
  readonly isGranted: boolean;
}

/** Rendered objects. */
export interface GatewayOutput {
  readonly httpRoutes: readonly HttpRoute[];
  readonly grpcRoutes: readonly GrpcRoute[];
  readonly referenceGrants: readonly ReferenceGrant[];
  readonly limitations: readonly Limitation[];
}

/** Limitations of all routes of the Gateway API. */
export const gatewayLimitations: readonly LimitationName[] = [
  "TracestateUnsupported",
  "KeyOrderUndefined",
  "RepeatedKeyHeaderUnsupported",
  "EncodedKeysUnsupported",
  "BaggageRulesUnsupported",
  "PathNormalizationUndefined",
  "ProbesRouted",
  "PreviewUnsupported",
];

const http: RouteKind<HttpMatch> = { algebra: httpAlgebra, matchesOf: httpMatches };
const grpc: RouteKind<GrpcMatch> = { algebra: grpcAlgebra, matchesOf: grpcMatches };

/** Renders a table. The objects of a port are named `sbx-<service>-<port>-<n>`. */
export function renderGatewayApi(input: GatewayInput): GatewayOutput {
  const limitations = new Limitations();
  if (!input.isServiceSupported) {
    limitations.add("ServiceUnsupported");
    return { httpRoutes: [], grpcRoutes: [], referenceGrants: [], limitations: limitations.list() };
  }
  if (!input.isRegexSupported) limitations.add("HeaderFormsLimited");
  const granted = new Set<string>();
  const httpRoutes: HttpRoute[] = [];
  const grpcRoutes: GrpcRoute[] = [];
  for (const { port } of input.table.ports) {
    const context = { input, port, limitations, granted };
    const parent = { table: input.table, port };
    if (attachedKind(input.userRoutes, parent) === "GRPCRoute") {
      const sources = sourceGroups(input.userRoutes.grpc, parent, { kind: grpc, any: anyGrpcRequest });
      grpcRoutes.push(...renderPort("GRPCRoute", grpc, sources, context));
    } else {
      const sources = sourceGroups(input.userRoutes.http, parent, { kind: http, any: anyHttpRequest });
      httpRoutes.push(...renderPort("HTTPRoute", http, sources, context));
    }
  }
  const referenceGrants = [...granted].sort().map((service) => grantOf(input, service));
  return { httpRoutes, grpcRoutes, referenceGrants, limitations: limitations.list() };
}

interface PortContext {
  readonly input: GatewayInput;
  readonly port: number;
  readonly limitations: Limitations;
  /** Services of other namespaces that rendered routes refer to. */
  readonly granted: Set<string>;
}

function renderPort<K extends string, M extends { readonly headers?: readonly ValueMatch[] }>(
  kindName: K,
  kind: RouteKind<M>,
  groups: readonly SourceGroup<M>[],
  context: PortContext,
): readonly MeshRoute<K, M>[] {
  const { input, port, limitations } = context;
  const keys = planRoutes(input.table, port, limitations).map(({ key, routes }) => ({
    key,
    routes: routes.map((route) =>
      isReachable(route, context) ? route : { ...route, destination: baseline, percent: 100 },
    ),
  }));
  const objects = groups.flatMap(({ hostnames, sources, isDefault }) => {
    const rules = keys.flatMap((planned) =>
      rulesOfKey(planned, formsOf(planned.key, input), {
        kind,
        sources,
        isService: (ref) => isServiceRef(ref, { table: input.table, port }),
        refOf: (destination) => refOf(destination, input),
        limitations,
      }),
    );
    if (rules.length === 0) return [];
    const defaults = isDefault ? sources.map(({ rule }) => rule) : [];
    return packRules(rules, defaults).map((packed) => ({ hostnames, rules: packed }));
  });
  return objects.map(({ hostnames, rules }, i) => ({
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: kindName,
    metadata: metaOf(input.table, `sbx-${input.table.service}-${port}-${i}`),
    spec: {
      parentRefs: [{ group: "", kind: "Service", name: input.table.service, port }],
      ...(hostnames.length > 0 && { hostnames }),
      rules,
    },
  }));
}

/** Returns the headers that carry a key, most reliable first. */
function formsOf(key: string, { settings, isRegexSupported }: GatewayInput): readonly HeaderTest[] {
  const exact = keyForms(key, settings).flatMap(({ test }) => (test.type === "exact" ? [test] : []));
  return isRegexSupported ? [...exact, baggageTest(settings.keyNames, escapeRegex(key))] : exact;
}

/** Reports whether a route may refer to the Service of its workload. If not, the baseline serves its requests. */
function isReachable({ destination, sandbox }: PlannedRoute, { input, limitations, granted }: PortContext): boolean {
  const target = destination.kind === "workload" ? input.targetNamespaces?.get(destination.service) : undefined;
  if (destination.kind !== "workload" || target === undefined || target.namespace === input.table.namespace)
    return true;
  if (target.isGranted) granted.add(destination.service);
  else limitations.add("CrossNamespaceDenied", { sandbox, detail: target.namespace });
  return target.isGranted;
}

function refOf(
  { service, port }: Extract<Destination, { readonly kind: "workload" }>,
  { table, targetNamespaces }: GatewayInput,
): BackendRef {
  const namespace = targetNamespaces?.get(service)?.namespace;
  return { name: service, port, ...(namespace !== undefined && namespace !== table.namespace && { namespace }) };
}

/** Fills objects in order. The default rules come last in the first object. */
function packRules<M>(
  rules: readonly RouteRule<M>[],
  defaults: readonly RouteRule<M>[],
): readonly (readonly RouteRule<M>[])[] {
  const objects: { rules: RouteRule<M>[]; matches: number }[] = [];
  const countOf = ({ matches = [] }: RouteRule<M>): number => Math.max(1, matches.length);
  for (const rule of rules) {
    const reserved = objects.length <= 1 ? defaults : [];
    const last = objects.at(-1);
    const room = last !== undefined && last.rules.length + reserved.length < routeLimits.rules;
    const matches = countOf(rule) + reserved.reduce((sum, each) => sum + countOf(each), 0);
    if (room && last.matches + matches <= routeLimits.matchesPerRoute) {
      last.rules.push(rule);
      last.matches += countOf(rule);
    } else objects.push({ rules: [rule], matches: countOf(rule) });
  }
  objects[0]?.rules.push(...defaults);
  return objects.map((object) => object.rules);
}

function metaOf({ namespace, version }: RouteTable, name: string): RouteMeta {
  return {
    name,
    namespace,
    labels: { ...managedSelector },
    annotations: { [annotations.sourceVersion]: version },
  };
}

function grantOf({ table, targetNamespaces }: GatewayInput, service: string): ReferenceGrant {
  const from = ["HTTPRoute", "GRPCRoute"].map((kind) => ({
    group: "gateway.networking.k8s.io",
    kind,
    namespace: table.namespace,
  }));
  const namespace = targetNamespaces?.get(service)?.namespace ?? table.namespace;
  return {
    apiVersion: "gateway.networking.k8s.io/v1beta1",
    kind: "ReferenceGrant",
    metadata: { ...metaOf(table, `sbx-${table.namespace}-${service}`), namespace },
    spec: { from, to: [{ group: "", kind: "Service", name: service }] },
  };
}
