import type { ServedKind } from "../../resources/served-kind.ts";
import type { AdmissionRequest } from "../../admission/admission.ts";
import type { ClusterReader } from "../../admission/cluster-reader.ts";
import { type Equivalents, namespaceMatches, objectMatches, ruleMatches } from "../../admission/webhooks/match.ts";
import type { MatchResources, NamedRule } from "./policy.ts";

/** Dependencies of {@link matchedPolicyKind}. */
export interface MatchTools {
  readonly reader: ClusterReader;
  readonly equivalents: Equivalents;
}

/** Returns the kind in whose version a policy sees the object of a request; undefined if the policy does not match. */
export function matchedPolicyKind(
  match: MatchResources,
  request: AdmissionRequest,
  { reader, equivalents }: MatchTools,
): ServedKind | undefined {
  if (!objectMatches(match.objectSelector, request)) return undefined;
  const others = match.isEquivalentMatched ? equivalents(request.kind).filter((kind) => kind !== request.kind) : [];
  if (kindMatchedByRules(match.excluded, request, others) !== undefined) return undefined;
  const kind = match.rules.length === 0 ? request.kind : kindMatchedByRules(match.rules, request, others);
  return kind !== undefined && namespaceMatches(match.namespaceSelector, request, reader) ? kind : undefined;
}

function kindMatchedByRules(
  rules: readonly NamedRule[],
  request: AdmissionRequest,
  others: readonly ServedKind[],
): ServedKind | undefined {
  const matches = (rule: NamedRule, kind: ServedKind): boolean =>
    ruleMatches(rule, request, kind) && (rule.names.length === 0 || rule.names.includes(request.name));
  if (rules.some((rule) => matches(rule, request.kind))) return request.kind;
  for (const rule of rules) {
    const found = others.find((kind) => matches(rule, kind));
    if (found !== undefined) return found;
  }
  return undefined;
}
