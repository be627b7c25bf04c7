import type { DeepReadonly, LabelSelectorObject } from "@homeostat/core";

/** Formats a label selector the way Go prints the struct, as it appears in Kubernetes messages. */
export function goSelector(selector: DeepReadonly<LabelSelectorObject> | undefined): string {
  if (selector === undefined) return "nil";
  const labels = Object.entries(selector.matchLabels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const requirements = (selector.matchExpressions ?? []).map(
    ({ key, operator, values }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${(values ?? []).join(" ")}],},`,
  );
  const map = `map[string]string{${labels.map(([key, value]) => `${key}: ${value},`).join("")}}`;
  return `&LabelSelector{MatchLabels:${map},MatchExpressions:[]LabelSelectorRequirement{${requirements.join("")}},}`;
}
