// Renders route tables as VirtualServices of Istio: as separate objects, or as routes inserted into a user's object.

import type { RouteTable, RoutingSettings } from "@homeostat/routing";
import { annotations, managedSelector } from "../api/identity.ts";
import { intersectIstio, istioMatches, withKeyForm } from "./istio-matches.ts";
import type { IstioMatch, IstioRoute, VirtualService, WeightedDestination } from "./istio-types.ts";
import { keyForms } from "./key-forms.ts";
import { type Limitation, type LimitationName, Limitations } from "./limitation.ts";
import { InexpressibleError } from "./ordered-matches.ts";
import { type PlannedKey, type PlannedRoute, planRoutes } from "./route-plan.ts";

/** Prefix of the names of the operator's routes. Routes with other names are never changed. */
export const istioRoutePrefix = "sandbox-operator-";

/** Limitations of all routes of Istio. */
export const istioLimitations: readonly LimitationName[] = [
  "TracestateUnsupported",
  "RepeatedKeyHeaderUnsupported",
  "EncodedKeysUnsupported",
  "BaggageRulesUnsupported",
  "PathNormalizationUndefined",
  "ProbesRouted",
  "PreviewUnsupported",
];

/** A table and the routing settings. */
export interface IstioInput {
  readonly table: RouteTable;
  readonly settings: RoutingSettings;
}

/** A rendered VirtualService. */
export interface IstioOutput {
  /** Undefined if there is nothing to render, or nothing to change. */
  readonly virtualService: VirtualService | undefined;
  readonly limitations: readonly Limitation[];
}

/** Renders a table as the VirtualService `sbx-<service>`, for Services that no VirtualService of a user routes to. */
export function renderVirtualService({ table, settings }: IstioInput): IstioOutput {
  const limitations = new Limitations();
  const { namespace, service, version } = table;
  const routes = table.ports.flatMap(({ port }) => {
    const any = table.ports.length === 1 ? {} : { port };
    const rule = { route: [{ destination: { host: hostOf(service, namespace), port: { number: port } } }] };
    const keys = planRoutes(table, port, limitations);
    const derived = keys.flatMap((key) => derive(rule, [any], key, { table, port, settings, limitations }));
    return [...derived, { ...rule, ...(any.port !== undefined && { match: [any] }) }];
  });
  const isEmpty = routes.length === table.ports.length;
  const virtualService: VirtualService = {
    apiVersion: "networking.istio.io/v1",
    kind: "VirtualService",
    metadata: {
      name: `sbx-${service}`,
      namespace,
      labels: { ...managedSelector },
      annotations: { [annotations.sourceVersion]: version },
    },
    spec: { hosts: [hostOf(service, namespace)], http: numbered(routes) },
  };
  return { virtualService: isEmpty ? undefined : virtualService, limitations: limitations.list() };
}

/** Returns the name of a host in Istio. */
export function hostOf(service: string, namespace: string): string {
  return `${service}.${namespace}.svc.cluster.local`;
}

/** Names routes by their position. */
export function numbered(routes: readonly IstioRoute[]): readonly IstioRoute[] {
  return routes.map((route, i) => ({ ...route, name: `${istioRoutePrefix}${i}` }));
}

/** Values that the routes of one port share. */
export interface DeriveContext {
  readonly table: RouteTable;
  readonly port: number;
  readonly settings: RoutingSettings;
  readonly limitations: Limitations;
  /** Name of the user's route, for messages. */
  readonly origin?: string;
}

/** Returns the routes of a key within a route of the user, in order. `matches` are the alternatives of that route. */
export function derive(
  source: IstioRoute,
  matches: readonly IstioMatch[],
  { key, routes }: PlannedKey,
  context: DeriveContext,
): readonly IstioRoute[] {
  return routes.flatMap((route) => {
    const within = matchesWithin(matches, route, context);
    const keyed = withKey(within, key, context.settings);
    if (within.length > 0 && keyed.length === 0) {
      context.limitations.add("UserRouteUnsupported", {
        sandbox: route.sandbox,
        detail: "it has a condition on each key header",
      });
    }
    return keyed.length === 0 ? [] : [{ ...replaced(source, route, context), match: keyed }];
  });
}

/** Returns matches with each form of a key. */
export function withKey(matches: readonly IstioMatch[], key: string, settings: RoutingSettings): readonly IstioMatch[] {
  const forms = keyForms(key, settings);
  return matches
    .flatMap((match) => forms.map((form) => withKeyForm(match, form)))
    .filter((match) => match !== undefined);
}

/** Returns the matches of a route within those of the user's route: all of them, or none if one cannot be expressed. */
function matchesWithin(
  matches: readonly IstioMatch[],
  { conditions, sandbox }: PlannedRoute,
  { limitations, origin }: DeriveContext,
): readonly IstioMatch[] {
  const expressed = (
    name: LimitationName,
    detail: string,
    action: () => readonly IstioMatch[],
  ): readonly IstioMatch[] => {
    try {
      return action();
    } catch (error) {
      if (!(error instanceof InexpressibleError)) throw error;
      limitations.add(name, { sandbox, detail: `${detail}${error.message}` });
      return [];
    }
  };
  const own = expressed("ConditionUnsupported", "", () => istioMatches(conditions));
  return expressed("UserRouteUnsupported", `${origin ?? "default"}: `, () =>
    own
      .flatMap((condition) => matches.map((match) => intersectIstio(match, condition)))
      .filter((match) => match !== undefined),
  );
}

/** Returns a route with the destinations of the Service replaced, and with the headers of the planned route. */
function replaced(source: IstioRoute, planned: PlannedRoute, context: DeriveContext): IstioRoute {
  const { name: _name, match: _match, ...copied } = source;
  const route = toPercent((source.route ?? []).flatMap((each) => replaceDestination(each, planned, context)));
  // In a split, only the workload gets the headers.
  if (planned.headers.length === 0 || planned.percent < 100) return { ...copied, route };
  return { ...copied, route, headers: withHeaders(source.headers, planned) };
}

function withHeaders(headers: IstioRoute["headers"], planned: PlannedRoute): NonNullable<IstioRoute["headers"]> {
  const set = { ...headers?.request?.set, ...Object.fromEntries(planned.headers) };
  return { ...headers, request: { ...headers?.request, set } };
}

/** Replaces a destination. If the share is below 100 percent, the Service keeps the rest of the weight. */
function replaceDestination(
  each: WeightedDestination,
  planned: PlannedRoute,
  { table, port }: DeriveContext,
): readonly WeightedDestination[] {
  const { destination, percent } = planned;
  const { weight = 1 } = each;
  const isSplit = percent < 100;
  if (destination.kind === "baseline" || !leadsTo(each, table, port))
    return isSplit ? [{ ...each, weight: weight * 100 }] : [each];
  const host = hostOf(destination.service, table.namespace);
  const workload = { ...each, destination: { host, port: { number: destination.port } } };
  if (!isSplit) return [workload];
  return [
    {
      ...workload,
      weight: weight * percent,
      ...(planned.headers.length > 0 && { headers: withHeaders(each.headers, planned) }),
    },
    { ...each, weight: weight * (100 - percent) },
  ];
}

/** Scales weights so that they add up to 100, which older versions of Istio require, unless they would not be integers. */
function toPercent(route: readonly WeightedDestination[]): readonly WeightedDestination[] {
  const total = route.reduce((sum, { weight = 0 }) => sum + weight, 0);
  const isInteger = route.every(({ weight = 0 }) => Number.isInteger((weight * 100) / total));
  if (route.length < 2 || !isInteger) return route;
  return route.map((each) => ({ ...each, weight: ((each.weight ?? 0) * 100) / total }));
}

/** Reports whether a destination is a port of the Service of a table. Short names belong to the namespace of the VirtualService. */
export function leadsTo(
  { destination }: WeightedDestination,
  { service, namespace }: RouteTable,
  port: number,
): boolean {
  const { host, port: target } = destination;
  const names = [service, `${service}.${namespace}`, `${service}.${namespace}.svc`, hostOf(service, namespace)];
  return names.includes(host) && (target?.number ?? port) === port;
}
