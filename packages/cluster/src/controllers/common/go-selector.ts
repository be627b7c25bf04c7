import type { DeepReadonly, LabelSelectorObject } from "@homeostat/core";

/** A label selector as Go prints it, which is how it stands in messages of Kubernetes. */
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
