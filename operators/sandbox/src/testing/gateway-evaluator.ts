// Evaluates HTTPRoutes and GRPCRoutes as the Gateway API publishes it: the comments on `matches` in `apis/v1/httproute_types.go` and
// `grpcroute_types.go` of sigs.k8s.io/gateway-api. It shares no code with the renderer.

import type { GrpcMatch, HttpMatch, MeshRoute, RouteRule, ValueMatch } from "../render/gateway-types.ts";
import { matchesRegex, type MeshRequest } from "./mesh-request.ts";

type RegexMode = "whole" | "search";

/** Returns the rule for a request; undefined if the mesh rejects it because no rule matches. */
export function evaluateHttpRoutes(
  routes: readonly MeshRoute<"HTTPRoute", HttpMatch>[],
  request: MeshRequest,
  mode: RegexMode = "whole",
): RouteRule<HttpMatch> | undefined {
  return best(routes, (match) => (matchesHttp(match, request, mode) ? rankOfHttp(match) : undefined), {});
}

/** The same for gRPC requests. */
export function evaluateGrpcRoutes(
  routes: readonly MeshRoute<"GRPCRoute", GrpcMatch>[],
  request: MeshRequest,
  mode: RegexMode = "whole",
): RouteRule<GrpcMatch> | undefined {
  return best(routes, (match) => (matchesGrpc(match, request, mode) ? rankOfGrpc(match) : undefined), {});
}

/** Finds the match with the highest rank; then the oldest route, the first name, and the first rule decide. */
function best<K extends string, M>(
  routes: readonly MeshRoute<K, M>[],
  rankOf: (match: M) => readonly number[] | undefined,
  any: M,
): RouteRule<M> | undefined {
  const sorted = routes.toSorted((a, b) => {
    const created = (a.metadata.creationTimestamp ?? "~") < (b.metadata.creationTimestamp ?? "~") ? -1 : 1;
    if (a.metadata.creationTimestamp !== b.metadata.creationTimestamp) return created;
    return `${a.metadata.namespace}/${a.metadata.name}` < `${b.metadata.namespace}/${b.metadata.name}` ? -1 : 1;
  });
  let found: { rule: RouteRule<M>; rank: readonly number[] } | undefined;
  for (const { spec } of sorted) {
    for (const rule of spec.rules ?? []) {
      for (const match of rule.matches ?? [any]) {
        const rank = rankOf(match);
        if (rank !== undefined && (found === undefined || isHigher(rank, found.rank))) found = { rule, rank };
      }
    }
  }
  return found?.rule;
}

function isHigher(a: readonly number[], b: readonly number[]): boolean {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at >= 0 && (a[at] ?? 0) > (b[at] ?? 0);
}

/** Exact path, characters of the prefix, method, headers, query parameters. */
function rankOfHttp({ path, method, headers = [], queryParams = [] }: HttpMatch): readonly number[] {
  const isExact = path?.type === "Exact";
  const isRegex = path?.type === "RegularExpression";
  const characters = isExact || isRegex ? 0 : (path?.value ?? "/").length;
  return [Number(isExact), characters, Number(method !== undefined), distinct(headers), distinct(queryParams)];
}

/** Characters of the service, characters of the method, headers. */
function rankOfGrpc({ method, headers = [] }: GrpcMatch): readonly number[] {
  return [method?.service?.length ?? 0, method?.method?.length ?? 0, distinct(headers)];
}

function distinct(values: readonly ValueMatch[]): number {
  return new Set(values.map(({ name }) => name.toLowerCase())).size;
}

function matchesHttp(
  { path, method, headers, queryParams }: HttpMatch,
  request: MeshRequest,
  mode: RegexMode,
): boolean {
  return (
    matchesPath(path, request.path, mode) &&
    (method === undefined || method === request.method) &&
    matchesValues(headers, (name) => request.headers.get(name.toLowerCase()), mode) &&
    matchesValues(queryParams, (name) => request.query.get(name), mode)
  );
}

function matchesPath(condition: HttpMatch["path"], path: string, mode: RegexMode): boolean {
  const { type = "PathPrefix", value = "/" } = condition ?? {};
  if (type === "Exact") return path === value;
  if (type === "RegularExpression") return matchesRegex(value, path, mode);
  // Segment by segment; a slash at the end of the prefix is ignored.
  const expected = value.split("/").filter((segment, i, all) => i < all.length - 1 || segment !== "");
  const actual = path.split("/");
  return expected.every((segment, i) => actual[i] === segment);
}

function matchesGrpc({ method, headers }: GrpcMatch, request: MeshRequest, mode: RegexMode): boolean {
  const [, service = "", name = ""] = request.path.split("/");
  const isMet = (expected: string | undefined, actual: string): boolean => {
    if (expected === undefined) return true;
    return method?.type === "RegularExpression" ? matchesRegex(expected, actual, mode) : expected === actual;
  };
  return (
    isMet(method?.service, service) &&
    isMet(method?.method, name) &&
    matchesValues(headers, (header) => request.headers.get(header.toLowerCase()), mode)
  );
}

/** Of conditions with the same name, only the first counts. */
function matchesValues(
  conditions: readonly ValueMatch[] = [],
  valueOf: (name: string) => string | undefined,
  mode: RegexMode,
): boolean {
  const seen = new Set<string>();
  return conditions.every(({ type = "Exact", name, value }) => {
    const isRepeated = seen.has(name.toLowerCase());
    seen.add(name.toLowerCase());
    const actual = valueOf(name);
    if (isRepeated) return true;
    if (actual === undefined) return false;
    return type === "Exact" ? actual === value : matchesRegex(value, actual, mode);
  });
}
