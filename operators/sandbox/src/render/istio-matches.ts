// Converts conditions of routes to conditions of VirtualServices, and combines them with those of a user.

import type { CompiledConditions, CompiledPath } from "@homeostat/routing";
import type { IstioMatch, StringMatch } from "./istio-types.ts";
import { escapeRegex, type HeaderTest, type KeyForm } from "./key-forms.ts";
import { InexpressibleError } from "./ordered-matches.ts";

/** Returns the alternative matches of conditions. Throws {@link InexpressibleError} for conditions without one. */
export function istioMatches(conditions: CompiledConditions | undefined): readonly IstioMatch[] {
  const uris = conditions?.paths?.flatMap(urisOf) ?? [undefined];
  const methods = conditions?.methods?.map((exact) => ({ exact })) ?? [undefined];
  const headers = conditions?.headers ?? [];
  // Istio would only require that the header is present.
  for (const { name, value } of headers) {
    if (value === "") throw new InexpressibleError(`value of header ${JSON.stringify(name)}`);
  }
  return uris.flatMap((uri) =>
    methods.map((method) => ({
      ...(uri && { uri }),
      ...(method && { method }),
      ...(headers.length > 0 && {
        headers: Object.fromEntries(headers.map(({ name, value }) => [name, { exact: value }])),
      }),
    })),
  );
}

/** A prefix of Istio is a text, not a list of segments: `/api` would match `/apis`. */
function urisOf({ isExact, path }: CompiledPath): readonly (StringMatch | undefined)[] {
  if (isExact) return [{ exact: path }];
  return path === "" ? [undefined] : [{ exact: path }, { prefix: `${path}/` }];
}

/** Returns a match with one form of the key; undefined if it already has a condition on the header of the form. */
export function withKeyForm(match: IstioMatch, { test, unless }: KeyForm): IstioMatch | undefined {
  if (match.headers?.[test.name] !== undefined) return undefined;
  const without = new Map<string, StringMatch>(Object.entries(match.withoutHeaders ?? {}));
  for (const each of unless) {
    const known = without.get(each.name);
    without.set(
      each.name,
      known === undefined ? stringMatchOf(each) : { regex: `(${regexOf(known)})|(${regexOf(stringMatchOf(each))})` },
    );
  }
  return {
    ...match,
    headers: { ...match.headers, [test.name]: stringMatchOf(test) },
    ...(without.size > 0 && { withoutHeaders: Object.fromEntries(without) }),
  };
}

function stringMatchOf({ type, value }: HeaderTest): StringMatch {
  return type === "exact" ? { exact: value } : { regex: value };
}

function regexOf({ exact, prefix, regex }: StringMatch): string {
  if (exact !== undefined) return escapeRegex(exact);
  return prefix === undefined ? (regex ?? ".*") : `${escapeRegex(prefix)}.*`;
}

/**
 * Returns the conditions of a user's match and of a route together; undefined if no request meets both. Throws {@link InexpressibleError} if
 * VirtualServices have no such condition.
 */
export function intersectIstio(user: IstioMatch, own: IstioMatch): IstioMatch | undefined {
  if (user.ignoreUriCase === true && own.uri !== undefined) throw new InexpressibleError("ignoreUriCase");
  const uri = intersectStrings(user.uri, own.uri);
  const method = intersectStrings(user.method, own.method);
  const headers: Record<string, StringMatch> = { ...user.headers };
  for (const [name, condition] of Object.entries(own.headers ?? {})) {
    const both = intersectStrings(headers[name], condition);
    if (both === "none") return undefined;
    if (both !== undefined) headers[name] = both;
  }
  if (uri === "none" || method === "none") return undefined;
  if (user.port !== undefined && own.port !== undefined && user.port !== own.port) return undefined;
  return {
    ...user,
    ...(own.port !== undefined && { port: own.port }),
    ...(uri && { uri }),
    ...(method && { method }),
    ...(Object.keys(headers).length > 0 && { headers }),
  };
}

/**
 * Returns a condition that is met if both conditions are met. Condition `b` comes from the operator and has no regular expression. Those of users are
 * not evaluated, because one with exponential cost would block the operator.
 */
function intersectStrings(a: StringMatch | undefined, b: StringMatch | undefined): StringMatch | undefined | "none" {
  if (a === undefined || isPresence(a)) return b ?? a;
  if (b === undefined) return a;
  if (a.exact !== undefined) return isMet(b, a.exact) ? a : "none";
  if (a.prefix !== undefined && b.exact !== undefined) return b.exact.startsWith(a.prefix) ? b : "none";
  if (a.prefix !== undefined && b.prefix !== undefined) {
    if (a.prefix.startsWith(b.prefix)) return a;
    return b.prefix.startsWith(a.prefix) ? b : "none";
  }
  throw new InexpressibleError(`${JSON.stringify(a)} together with ${JSON.stringify(b)}`);
}

function isPresence({ exact, prefix, regex }: StringMatch): boolean {
  return exact === undefined && prefix === undefined && regex === undefined;
}

function isMet({ exact, prefix = "" }: StringMatch, value: string): boolean {
  return exact === undefined ? value.startsWith(prefix) : value === exact;
}
