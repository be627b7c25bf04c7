import type { ServedKind } from "../../registry/served-kind.ts";
import type { AdmissionRequest } from "../admission.ts";
import type { ClusterReader } from "../cluster-reader.ts";
import { type Equivalents, namespaceMatches, objectMatches, ruleMatches } from "../webhooks/match.ts";
import type { MatchResources, NamedRule } from "./policy.ts";

/** What finding out needs. */
export interface MatchTools {
  readonly reader: ClusterReader;
  readonly equivalents: Equivalents;
}

/** The kind as which a policy sees the object of a request; undefined when it is not about it. */
export function matchedPolicyKind(
  match: MatchResources,
  request: AdmissionRequest,
  { reader, equivalents }: MatchTools,
): ServedKind | undefined {
  if (!objectMatches(match.objectSelector, request)) return undefined;
  const others = match.isEquivalentMatched ? equivalents(request.kind).filter((kind) => kind !== request.kind) : [];
  if (ruledKind(match.excluded, request, others) !== undefined) return undefined;
  const kind = match.rules.length === 0 ? request.kind : ruledKind(match.rules, request, others);
  return kind !== undefined && namespaceMatches(match.namespaceSelector, request, reader) ? kind : undefined;
}

function ruledKind(
  rules: readonly NamedRule[],
  request: AdmissionRequest,
  others: readonly ServedKind[],
): ServedKind | undefined {
  const fits = (rule: NamedRule, kind: ServedKind): boolean =>
    ruleMatches(rule, request, kind) && (rule.names.length === 0 || rule.names.includes(request.name));
  if (rules.some((rule) => fits(rule, request.kind))) return request.kind;
  for (const rule of rules) {
    const found = others.find((kind) => fits(rule, kind));
    if (found !== undefined) return found;
  }
  return undefined;
}
