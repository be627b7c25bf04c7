// Matches of HTTPRoutes: conditions of routes as matches, intersections and precedence.

import type { CompiledConditions, CompiledPath } from "@homeostat/routing";
import type { HttpMatch, ValueMatch } from "./gateway-types.ts";
import { InexpressibleError, type MatchAlgebra } from "./ordered-matches.ts";
import { intersectValues } from "./value-matches.ts";

const methods = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"]);

/** The characters that the schema of HTTPRoute allows in exact paths and prefixes. */
const pathPattern = /^(?:[-A-Za-z0-9/._~!$&'()*+,;=:@]|%[0-9a-fA-F]{2})+$/;
const forbiddenInPath = ["//", "/./", "/../", "%2f", "%2F", "#"];

/** The match of every request. */
export const anyHttpRequest: HttpMatch = { path: { type: "PathPrefix", value: "/" } };

/** Returns the alternative matches of conditions. Throws {@link InexpressibleError} for values that the schema refuses. */
export function httpMatches(conditions: CompiledConditions | undefined): readonly HttpMatch[] {
  const paths = conditions?.paths?.map(pathOf) ?? [anyHttpRequest.path];
  const allowed = conditions?.methods ?? [undefined];
  const headers = conditions?.headers ?? [];
  for (const method of allowed) if (method !== undefined && !methods.has(method)) throw inexpressible("method", method);
  for (const { name, value } of headers) if (value === "") throw inexpressible("value of header", name);
  return paths.flatMap((path) =>
    allowed.map((method) => ({
      ...(path && { path }),
      ...(method !== undefined && { method }),
      ...(headers.length > 0 && {
        headers: headers.map(({ name, value }) => ({ type: "Exact" as const, name, value })),
      }),
    })),
  );
}

function pathOf({ isExact, path }: CompiledPath): NonNullable<HttpMatch["path"]> {
  const value = path === "" ? "/" : path;
  const isForbidden = forbiddenInPath.some((part) => value.includes(part)) || /\/\.{1,2}$/.test(value);
  if (isForbidden || !pathPattern.test(value)) throw inexpressible("path", value);
  return { type: isExact ? "Exact" : "PathPrefix", value };
}

function inexpressible(what: string, value: string): InexpressibleError {
  return new InexpressibleError(`${what} ${JSON.stringify(value)}`);
}

/** The precedence of HTTPRoutes: exact path, longer prefix, method, number of headers, number of query parameters. */
export const httpAlgebra: MatchAlgebra<HttpMatch> = {
  intersect(a, b) {
    const path = intersectPaths(pathOrDefault(a), pathOrDefault(b));
    const headers = intersectValues(a.headers, b.headers);
    const queryParams = intersectValues(a.queryParams, b.queryParams);
    if (path === undefined || headers === undefined || queryParams === undefined) return undefined;
    if (a.method !== undefined && b.method !== undefined && a.method !== b.method) return undefined;
    const method = a.method ?? b.method;
    return {
      path,
      ...(method !== undefined && { method }),
      ...(headers.length > 0 && { headers }),
      ...(queryParams.length > 0 && { queryParams }),
    };
  },

  compareRank(a, b) {
    // The precedence of regular expressions is implementation-specific, so the order of the user's rules is kept.
    if (isRegex(a) || isRegex(b)) return -1;
    return (
      rankOfPath(b) - rankOfPath(a) ||
      Number(b.method !== undefined) - Number(a.method !== undefined) ||
      (b.headers?.length ?? 0) - (a.headers?.length ?? 0) ||
      (b.queryParams?.length ?? 0) - (a.queryParams?.length ?? 0)
    );
  },

  isEqual: (a, b) => textOf(a) === textOf(b),
};

interface PathCondition {
  readonly type: "Exact" | "PathPrefix" | "RegularExpression";
  readonly value: string;
}

function pathOrDefault({ path }: HttpMatch): PathCondition {
  const { type = "PathPrefix", value = "/" } = path ?? {};
  return { type, value };
}

function isRegex(match: HttpMatch): boolean {
  return pathOrDefault(match).type === "RegularExpression";
}

/** Exact paths outrank every prefix, which has at most 1024 characters. */
function rankOfPath(match: HttpMatch): number {
  const { type, value } = pathOrDefault(match);
  return type === "Exact" ? 2000 : value.length;
}

function intersectPaths(a: PathCondition, b: PathCondition): PathCondition | undefined {
  if (a.type === "Exact" && b.type === "Exact") return a.value === b.value ? a : undefined;
  if (isRoot(b) || (a.type === b.type && a.value === b.value)) return a;
  if (isRoot(a)) return b;
  if (a.type === "RegularExpression" || b.type === "RegularExpression") {
    throw new InexpressibleError(`the regular expression of a path together with the path ${a.value} or ${b.value}`);
  }
  if (a.type === "PathPrefix" && isBelow(b.value, a.value)) return b;
  if (b.type === "PathPrefix" && isBelow(a.value, b.value)) return a;
  return undefined;
}

function isRoot({ type, value }: PathCondition): boolean {
  return type === "PathPrefix" && value === "/";
}

/** Reports whether a path starts with the segments of a prefix. */
export function isBelow(path: string, prefix: string): boolean {
  const stem = prefix.endsWith("/") ? prefix.slice(0, -1) : prefix;
  return path.startsWith(stem) && (path.length === stem.length || path[stem.length] === "/");
}

function textOf({ method = "", headers = [], queryParams = [], ...match }: HttpMatch): string {
  const { type, value } = pathOrDefault(match);
  return JSON.stringify([type, value, method, valuesText(headers), valuesText(queryParams)]);
}

function valuesText(values: readonly ValueMatch[]): string {
  return values
    .map(({ type = "Exact", name, value }) => JSON.stringify([name.toLowerCase(), type, value]))
    .sort()
    .join();
}
