// Matches of GRPCRoutes. The path of a gRPC request is `/<service>/<method>`, and its HTTP method is POST.

import type { CompiledConditions, CompiledPath } from "@homeostat/routing";
import type { GrpcMatch, ValueMatch } from "./gateway-types.ts";
import { InexpressibleError, type MatchAlgebra } from "./ordered-matches.ts";
import { intersectValues } from "./value-matches.ts";

/** The match of every request. */
export const anyGrpcRequest: GrpcMatch = {};

/**
 * Returns the alternative matches of conditions; empty if no gRPC request meets the conditions. Throws {@link InexpressibleError} for values that the
 * schema refuses.
 */
export function grpcMatches(conditions: CompiledConditions | undefined): readonly GrpcMatch[] {
  if (conditions?.methods?.includes("POST") === false) return [];
  const paths = conditions?.paths?.flatMap(methodOf) ?? [undefined];
  const headers = conditions?.headers ?? [];
  for (const { name, value } of headers) {
    if (value === "") throw new InexpressibleError(`value of header ${JSON.stringify(name)}`);
  }
  return paths.map((method) => ({
    ...(method && { method }),
    ...(headers.length > 0 && { headers: headers.map(({ name, value }) => ({ type: "Exact" as const, name, value })) }),
  }));
}

type Method = GrpcMatch["method"];

/** Returns the service and method of a path; an empty list if no gRPC request has it. */
function methodOf({ isExact, path }: CompiledPath): readonly Method[] {
  if (path === "" && !isExact) return [undefined];
  const [, service = "", method, ...rest] = path.split("/");
  const isService = /^\.?[A-Za-z_][A-Za-z_0-9]*(\.[A-Za-z_][A-Za-z_0-9]*)*$/.test(service);
  if (!isService || rest.length > 0) return [];
  if (method === undefined || method === "") return isExact ? [] : [{ type: "Exact", service }];
  return /^[A-Za-z_][A-Za-z_0-9]*$/.test(method) ? [{ type: "Exact", service, method }] : [];
}

/** The precedence of GRPCRoutes: characters of the service, characters of the method, number of headers. */
export const grpcAlgebra: MatchAlgebra<GrpcMatch> = {
  intersect(a, b) {
    const method = intersectMethods(a.method, b.method);
    const headers = intersectValues(a.headers, b.headers);
    if (method === "none" || headers === undefined) return undefined;
    return { ...(method && { method }), ...(headers.length > 0 && { headers }) };
  },

  compareRank(a, b) {
    if (isRegex(a) || isRegex(b)) return -1;
    return (
      (b.method?.service?.length ?? 0) - (a.method?.service?.length ?? 0) ||
      (b.method?.method?.length ?? 0) - (a.method?.method?.length ?? 0) ||
      (b.headers?.length ?? 0) - (a.headers?.length ?? 0)
    );
  },

  isEqual: (a, b) => textOf(a) === textOf(b),
};

function isRegex({ method }: GrpcMatch): boolean {
  return method?.type === "RegularExpression";
}

function intersectMethods(a: Method, b: Method): Method | "none" {
  if (a === undefined || b === undefined) return a ?? b;
  if (a.type === "RegularExpression" || b.type === "RegularExpression") {
    if (JSON.stringify(a) === JSON.stringify(b)) return a;
    throw new InexpressibleError("a regular expression of a gRPC method together with another condition on it");
  }
  const differs = (field: "service" | "method"): boolean =>
    a[field] !== undefined && b[field] !== undefined && a[field] !== b[field];
  if (differs("service") || differs("method")) return "none";
  const service = a.service ?? b.service;
  const method = a.method ?? b.method;
  return { type: "Exact", ...(service !== undefined && { service }), ...(method !== undefined && { method }) };
}

function textOf({ method, headers = [] }: GrpcMatch): string {
  const values = headers.map(({ type = "Exact", name, value }: ValueMatch) =>
    JSON.stringify([name.toLowerCase(), type, value]),
  );
  return JSON.stringify([method?.type ?? "Exact", method?.service ?? "", method?.method ?? "", values.sort()]);
}
