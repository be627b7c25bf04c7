// Routes of Envoy for one port of a Service. Envoy uses the first route that matches.

import type { RoutingSettings } from "@homeostat/routing";
import type { CompiledConditions, CompiledPath } from "@homeostat/routing";
import { escapeRegex, type HeaderTest, type KeyForm, keyForms } from "./key-forms.ts";
import type { Limitations } from "./limitation.ts";
import type { PlannedKey, PlannedRoute } from "./route-plan.ts";

/** A condition on a header. */
export interface EnvoyHeaderMatcher {
  readonly name: string;
  readonly string_match: EnvoyStringMatcher;
  readonly invert_match?: boolean;
  readonly treat_missing_header_as_empty?: boolean;
}

type EnvoyStringMatcher =
  | { readonly exact: string }
  | { readonly prefix: string }
  | { readonly safe_regex: { readonly regex: string } };

/** Conditions of a route: one on the path, and headers that must all match. */
export interface EnvoyRouteMatch {
  readonly prefix?: string;
  readonly path?: string;
  readonly path_separated_prefix?: string;
  readonly headers?: readonly EnvoyHeaderMatcher[];
}

/** A header that is set on forwarded requests. */
interface EnvoyHeaderOption {
  readonly header: { readonly key: string; readonly value: string };
  readonly append_action: "OVERWRITE_IF_EXISTS_OR_ADD";
}

interface WeightedCluster {
  readonly name: string;
  readonly weight: number;
  readonly request_headers_to_add?: readonly EnvoyHeaderOption[];
}

export interface EnvoyRoute {
  readonly name: string;
  readonly match: EnvoyRouteMatch;
  readonly route: {
    readonly cluster?: string;
    readonly weighted_clusters?: { readonly clusters: readonly WeightedCluster[] };
    /** Envoy ends requests after 15 s by default. */
    readonly timeout: "0s";
  };
  readonly request_headers_to_add?: readonly EnvoyHeaderOption[];
}

/** Values that the routes of one port share. */
export interface EnvoyRouteContext {
  readonly settings: RoutingSettings;
  /** Cluster of the baseline. */
  readonly baseline: string;
  /** Returns the cluster of a workload. */
  readonly clusterOf: (destination: Extract<PlannedRoute["destination"], { readonly kind: "workload" }>) => string;
  readonly limitations: Limitations;
}

/** Returns all routes of a port: probes first, then the routes of all keys, then the baseline. */
export function envoyRoutes(keys: readonly PlannedKey[], context: EnvoyRouteContext): readonly EnvoyRoute[] {
  const isProbe = { name: "user-agent", string_match: { prefix: "kube-probe/" } };
  const toBaseline = { cluster: context.baseline, timeout: "0s" } as const;
  return [
    { name: "probe", match: { prefix: "/", headers: [isProbe] }, route: toBaseline },
    ...keys.flatMap((key) => routesOfKey(key, context)),
    { name: "baseline", match: { prefix: "/" }, route: toBaseline },
  ];
}

function routesOfKey({ key, routes }: PlannedKey, context: EnvoyRouteContext): readonly EnvoyRoute[] {
  const forms = keyForms(key, context.settings);
  return routes.flatMap((route) => {
    const { sandbox, workload } = route;
    const action = actionOf(route, context);
    return matchesOf(route, context).flatMap((match) =>
      forms.map((form) => ({
        name: `${sandbox}/${workload}`,
        match: { ...match, headers: [...keyMatchers(form), ...(match.headers ?? [])] },
        ...action,
      })),
    );
  });
}

/** The header of the key comes first, because most requests do not match it. */
function keyMatchers({ test, unless }: KeyForm): readonly EnvoyHeaderMatcher[] {
  return [
    { name: test.name, string_match: stringMatcher(test) },
    ...unless.map((each) => ({
      name: each.name,
      string_match: stringMatcher(each),
      invert_match: true,
      treat_missing_header_as_empty: true,
    })),
  ];
}

function stringMatcher({ type, value }: HeaderTest): EnvoyStringMatcher {
  return type === "exact" ? { exact: value } : { safe_regex: { regex: value } };
}

/** Returns the matches of the conditions of a route, which are alternatives. */
function matchesOf(
  { conditions, sandbox }: PlannedRoute,
  { limitations }: EnvoyRouteContext,
): readonly EnvoyRouteMatch[] {
  const paths = conditions?.paths ?? [{ isExact: false, path: "" }];
  const usable = paths.filter(({ path }) => !/[?#]/.test(path));
  if (usable.length < paths.length) limitations.add("ConditionUnsupported", { sandbox, detail: "path with ? or #" });
  const headers = headerMatchers(conditions);
  return usable.map((path) => ({ ...pathMatch(path), ...(headers.length > 0 && { headers }) }));
}

function pathMatch({ isExact, path }: CompiledPath): EnvoyRouteMatch {
  if (isExact) return { path };
  return path === "" ? { prefix: "/" } : { path_separated_prefix: path };
}

function headerMatchers(conditions: CompiledConditions | undefined): readonly EnvoyHeaderMatcher[] {
  const methods = conditions?.methods?.map(escapeRegex).join("|");
  return [
    ...(methods === undefined ? [] : [{ name: ":method", string_match: { safe_regex: { regex: methods } } }]),
    ...(conditions?.headers ?? []).map(({ name, value }) => ({ name, string_match: { exact: value } })),
    ...(conditions?.paths === undefined ? [] : [clearPath]),
  ];
}

/** A path with an encoded slash or NUL matches no condition on the path, because servers disagree on its segments. */
const clearPath: EnvoyHeaderMatcher = {
  name: ":path",
  string_match: { safe_regex: { regex: "[^?#]*%(2[fF]|00).*" } },
  invert_match: true,
};

function actionOf(
  { destination, percent, headers }: PlannedRoute,
  { baseline, clusterOf }: EnvoyRouteContext,
): Omit<EnvoyRoute, "name" | "match"> {
  const options = headers.map(([key, value]) => ({
    header: { key, value },
    append_action: "OVERWRITE_IF_EXISTS_OR_ADD" as const,
  }));
  const added = options.length > 0 && { request_headers_to_add: options };
  const cluster = destination.kind === "baseline" ? baseline : clusterOf(destination);
  if (percent === 100) return { route: { cluster, timeout: "0s" }, ...added };
  const clusters = [
    { name: cluster, weight: percent, ...added },
    { name: baseline, weight: 100 - percent },
  ];
  return { route: { weighted_clusters: { clusters }, timeout: "0s" } };
}
