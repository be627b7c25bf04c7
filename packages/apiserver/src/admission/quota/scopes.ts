// To which objects a ResourceQuota applies.

import { labelSelectorFrom } from "@homeostat/core";
import { qualityOfService } from "../../kinds/core/pod/qos-class.ts";
import { isSet, listAt, numberAt, textAt } from "../../tables/read.ts";

/** One condition on the objects that a quota measures. */
interface Scope {
  readonly name: string;
  readonly operator: string;
  readonly values: readonly string[];
}

function scopesOf(quota: unknown): Scope[] {
  return [
    ...listAt(quota, "spec", "scopes").map((name) => ({ name: String(name), operator: "Exists", values: [] })),
    ...listAt(quota, "spec", "scopeSelector", "matchExpressions").map((each) => ({
      name: textAt(each, "scopeName"),
      operator: textAt(each, "operator"),
      values: listAt(each, "values").map(String),
    })),
  ];
}

/** Whether a quota applies to an object of a resource. Conditions are about pods, and about classes of claims. */
export function isInScope(quota: unknown, resource: string, object: unknown): boolean {
  return scopesOf(quota).every((scope) => {
    if (resource === "pods") return podIsIn(object, scope);
    return resource === "persistentvolumeclaims" && scope.name === "VolumeAttributesClass"
      ? fits(scope, textAt(object, "spec", "volumeAttributesClassName"))
      : false;
  });
}

function podIsIn(pod: unknown, scope: Scope): boolean {
  switch (scope.name) {
    case "Terminating":
      return hasDeadline(pod);
    case "NotTerminating":
      return !hasDeadline(pod);
    case "BestEffort":
      return qualityOfService(pod) === "BestEffort";
    case "NotBestEffort":
      return qualityOfService(pod) !== "BestEffort";
    case "PriorityClass":
      return fits(scope, textAt(pod, "spec", "priorityClassName"));
    case "CrossNamespacePodAffinity":
      return looksElsewhere(pod);
    default:
      return false;
  }
}

/** Whether a pod ends by itself after some time. */
export function hasDeadline(pod: unknown): boolean {
  return isSet(pod, "spec", "activeDeadlineSeconds") && numberAt(pod, "spec", "activeDeadlineSeconds") >= 0;
}

function fits({ name, operator, values }: Scope, className: string): boolean {
  if (operator === "Exists") return className !== "";
  const selector = labelSelectorFrom({ matchExpressions: [{ key: name, operator, values: [...values] }] });
  return selector.matches(className === "" ? {} : { [name]: className });
}

function looksElsewhere(pod: unknown): boolean {
  const terms = ["podAffinity", "podAntiAffinity"].flatMap((kind) => [
    ...listAt(pod, "spec", "affinity", kind, "requiredDuringSchedulingIgnoredDuringExecution"),
    ...listAt(pod, "spec", "affinity", kind, "preferredDuringSchedulingIgnoredDuringExecution").map((term) =>
      typeof term === "object" && term !== null && "podAffinityTerm" in term ? term.podAffinityTerm : undefined,
    ),
  ]);
  return terms.some((term) => listAt(term, "namespaces").length > 0 || isSet(term, "namespaceSelector"));
}
