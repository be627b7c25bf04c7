// Matching of workloads, namespaces and images with the rules of a policy.

import { type DeepReadonly, InvalidSelectorError, labelSelectorFrom, type LabelSelectorObject } from "@homeostat/core";
import { matchesGlob } from "../api/glob.ts";
import type { NamespaceRule, TargetRule } from "../api/sandbox-policy.ts";

type Labels = Readonly<Record<string, string>>;

/** A workload of the baseline. */
export interface PolicyTarget {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Labels of the workload; absent if it does not exist. */
  readonly labels: Labels | undefined;
}

/**
 * Reports whether a rule matches a workload; undefined if that depends on the labels of a workload that does not exist yet. A later reconcile then
 * decides.
 */
export function matchesTarget(
  rule: DeepReadonly<TargetRule>,
  { kind, name, labels }: PolicyTarget,
): boolean | undefined {
  if (rule.kind !== undefined && rule.kind !== kind) return false;
  if (rule.name !== undefined && !matchesGlob(rule.name, name)) return false;
  if (rule.selector === undefined) return true;
  return labels === undefined ? undefined : matchesSelector(rule.selector, labels);
}

/** Reports whether a rule matches a namespace. */
export function matchesNamespace(
  rule: DeepReadonly<NamespaceRule>,
  namespace: { readonly name: string; readonly labels: Labels },
): boolean {
  if (rule.name !== undefined) return rule.name === namespace.name;
  return rule.selector !== undefined && matchesSelector(rule.selector, namespace.labels);
}

/** Reports whether a selector matches labels. A selector that is not valid matches nothing. */
function matchesSelector(selector: LabelSelectorObject, labels: Labels): boolean {
  try {
    return labelSelectorFrom(selector).matches(labels);
  } catch (error) {
    if (error instanceof InvalidSelectorError) return false;
    throw error;
  }
}
