// Rules of HTTPRoutes and GRPCRoutes for the routes of one key.
//
// A rule is derived from a rule of the user, or from the default rule that sends everything to the Service: it has the same matches and one
// additional header, which carries the key. The additional header gives it a higher precedence than its origin, whichever object contains it.

import type { BackendRef, RouteFilter, RouteRule, ValueMatch } from "./gateway-types.ts";
import { routeLimits } from "./gateway-types.ts";
import type { HeaderTest } from "./key-forms.ts";
import type { Limitations } from "./limitation.ts";
import { InexpressibleError, type MatchAlgebra, type OrderedRoute, realizeOrder } from "./ordered-matches.ts";
import type { PlannedKey, PlannedRoute } from "./route-plan.ts";

/** A rule and one of its matches, in the order of the precedence of the user's routes. */
export interface SourceRule<M> {
  readonly rule: RouteRule<M>;
  readonly match: M;
  /** True if a backend of the rule is the Service. Other rules are copied with their backends. */
  readonly leadsToService: boolean;
  /** Name for messages; undefined for the default rule. */
  readonly origin: string | undefined;
}

/** The kind of route: HTTPRoute or GRPCRoute. */
export interface RouteKind<M extends { readonly headers?: readonly ValueMatch[] }> {
  readonly algebra: MatchAlgebra<M>;
  /** Returns the matches of the conditions of a route. */
  readonly matchesOf: (conditions: PlannedRoute["conditions"]) => readonly M[];
}

/** Values that the rules of one port share. */
export interface RuleContext<M extends { readonly headers?: readonly ValueMatch[] }> {
  readonly kind: RouteKind<M>;
  readonly sources: readonly SourceRule<M>[];
  /** Reports whether a backend is the Service. */
  readonly isService: (ref: BackendRef) => boolean;
  /** Returns the reference to the Service of a workload. */
  readonly refOf: (destination: Extract<PlannedRoute["destination"], { readonly kind: "workload" }>) => BackendRef;
  readonly limitations: Limitations;
}

/** A derived rule: the origin, and the route that replaces its backends. */
interface Derivation<M> {
  readonly source: RouteRule<M>;
  /** Undefined for a copy of a rule that does not route to the Service. */
  readonly route: PlannedRoute | undefined;
}

/** Returns the rules for the routes of a key. `forms` are the headers that carry it. */
export function rulesOfKey<M extends { readonly headers?: readonly ValueMatch[] }>(
  { routes }: PlannedKey,
  forms: readonly HeaderTest[],
  context: RuleContext<M>,
): readonly RouteRule<M>[] {
  const { kind, limitations } = context;
  const ordered = context.sources.flatMap((source) => derivations(source, routes, context));
  try {
    return realizeOrder(ordered, kind.algebra).flatMap(({ route, matches }) => {
      const keyed = matches.flatMap((match) => withKey(match, forms, { ...context, route: route.route }));
      return keyed.length === 0 ? [] : splitRule(deriveRule(route, context), keyed);
    });
  } catch (error) {
    if (!(error instanceof InexpressibleError)) throw error;
    for (const { sandbox } of routes) limitations.add("RoutesTooComplex", { sandbox, detail: error.message });
    return [];
  }
}

/**
 * Returns the routes of a key within one match of the user, in order.
 *
 * If the user has rules that route to other Services, these are copied with the key. A request that matches no route of the key must not reach such a
 * copy of a lower rule, so the rule itself is copied as well.
 */
function derivations<M extends { readonly headers?: readonly ValueMatch[] }>(
  source: SourceRule<M>,
  routes: readonly PlannedRoute[],
  context: RuleContext<M>,
): readonly OrderedRoute<M, Derivation<M>>[] {
  const { rule, match, leadsToService } = source;
  const copy = { route: { source: rule, route: undefined }, matches: [match] };
  if (!leadsToService) return [copy];
  const hasCopies = context.sources.some((each) => !each.leadsToService);
  return [...routesWithin(source, routes, context), ...(hasCopies ? [copy] : [])];
}

function routesWithin<M extends { readonly headers?: readonly ValueMatch[] }>(
  { rule, match, origin }: SourceRule<M>,
  routes: readonly PlannedRoute[],
  { kind, limitations }: RuleContext<M>,
): readonly OrderedRoute<M, Derivation<M>>[] {
  return routes.flatMap((route) => {
    const { sandbox } = route;
    let conditions: readonly M[];
    try {
      conditions = kind.matchesOf(route.conditions);
    } catch (error) {
      if (!(error instanceof InexpressibleError)) throw error;
      limitations.add("ConditionUnsupported", { sandbox, detail: error.message });
      return [];
    }
    try {
      const matches = conditions.flatMap((condition) => kind.algebra.intersect(match, condition) ?? []);
      const isChanged = matches.some((each) => !kind.algebra.isEqual(each, match));
      if (isChanged && replacesPrefix(rule)) throw new InexpressibleError("a filter that replaces the matched prefix");
      return [{ route: { source: rule, route }, matches }];
    } catch (error) {
      if (!(error instanceof InexpressibleError)) throw error;
      limitations.add("UserRouteUnsupported", { sandbox, detail: `${origin ?? "default"}: ${error.message}` });
      return [];
    }
  });
}

/** Returns a match once for each form of the key. */
function withKey<M extends { readonly headers?: readonly ValueMatch[] }>(
  match: M,
  forms: readonly HeaderTest[],
  { route, limitations }: { readonly route: PlannedRoute | undefined; readonly limitations: Limitations },
): readonly M[] {
  const { headers = [] } = match;
  const sandbox = route === undefined ? {} : { sandbox: route.sandbox };
  if (headers.length >= routeLimits.headersPerMatch) {
    limitations.add("UserRouteUnsupported", { ...sandbox, detail: `a match has ${headers.length} headers already` });
    return [];
  }
  // Implementations ignore all but the first of several conditions on one header.
  const free = forms.filter(({ name }) => !headers.some((header) => header.name.toLowerCase() === name));
  if (free.length === 0)
    limitations.add("UserRouteUnsupported", { ...sandbox, detail: "it has a condition on each key header" });
  return free.map(({ name, type, value }) => ({
    ...match,
    headers: [...headers, { type: type === "exact" ? "Exact" : "RegularExpression", name, value }],
  }));
}

function deriveRule<M extends { readonly headers?: readonly ValueMatch[] }>(
  { source, route }: Derivation<M>,
  context: RuleContext<M>,
): RouteRule<M> {
  const { name: _name, matches: _matches, ...copied } = source;
  if (route === undefined) return copied;
  // Meshes support filters of rules better than those of backends, but in a split only the workload gets the headers.
  const isSplit = route.percent < 100;
  const filters = isSplit ? (source.filters ?? []) : withHeaders(source.filters ?? [], route);
  const backendRefs = (source.backendRefs ?? []).flatMap((ref) => replaceRef(ref, route, context));
  return { ...copied, ...(filters.length > 0 && { filters }), backendRefs: fitWeights(backendRefs) };
}

/** Adds the headers of a route. A rule has at most one filter of this type. */
function withHeaders(filters: readonly RouteFilter[], { headers }: PlannedRoute): readonly RouteFilter[] {
  if (headers.length === 0) return filters;
  const known = filters.find(({ type }) => type === "RequestHeaderModifier");
  const added = headers.map(([name, value]) => ({ name, value }));
  const kept = (known?.requestHeaderModifier?.set ?? []).filter(
    ({ name }) => !added.some((header) => header.name === name.toLowerCase()),
  );
  const filter: RouteFilter = {
    type: "RequestHeaderModifier",
    requestHeaderModifier: { ...known?.requestHeaderModifier, set: [...kept, ...added] },
  };
  return [...filters.filter((each) => each !== known), filter];
}

/** Replaces a reference to the Service. If the share is below 100 percent, the Service keeps the rest of the weight. */
function replaceRef<M extends { readonly headers?: readonly ValueMatch[] }>(
  ref: BackendRef,
  route: PlannedRoute,
  { isService, refOf }: RuleContext<M>,
): readonly BackendRef[] {
  const { destination, percent } = route;
  const { weight = 1 } = ref;
  if (!isService(ref) || destination.kind === "baseline")
    return percent === 100 ? [ref] : [{ ...ref, weight: weight * 100 }];
  const { name: _name, port: _port, namespace: _namespace, ...kept } = ref;
  const workload = { ...kept, ...refOf(destination) };
  if (percent === 100) return [workload];
  const filters = withHeaders(ref.filters ?? [], route);
  return [
    { ...workload, weight: weight * percent, ...(filters.length > 0 && { filters }) },
    { ...ref, weight: weight * (100 - percent) },
  ];
}

const weightMax = 1_000_000;

/** Scales weights down to the maximum of the schema. */
function fitWeights(refs: readonly BackendRef[]): readonly BackendRef[] {
  const largest = Math.max(0, ...refs.map(({ weight = 1 }) => weight));
  if (largest <= weightMax) return refs;
  return refs.map((ref) => ({ ...ref, weight: Math.round(((ref.weight ?? 1) * weightMax) / largest) }));
}

/** Splits a rule with more matches than the schema allows. */
function splitRule<M>(rule: RouteRule<M>, matches: readonly M[]): readonly RouteRule<M>[] {
  const size = replacesPrefix(rule) ? 1 : routeLimits.matchesPerRule;
  const parts = Array.from({ length: Math.ceil(matches.length / size) }, (_, i) =>
    matches.slice(i * size, (i + 1) * size),
  );
  return parts.map((part) => ({ matches: part, ...rule }));
}

/** Reports whether a rule has a filter that depends on its match. The schema then requires exactly one match, with a prefix. */
function replacesPrefix<M>({ filters = [], backendRefs = [] }: RouteRule<M>): boolean {
  const all = [...filters, ...backendRefs.flatMap((ref) => ref.filters ?? [])];
  return JSON.stringify(all).includes('"ReplacePrefixMatch"');
}
