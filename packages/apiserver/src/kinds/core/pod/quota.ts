// Usage of pods for ResourceQuotas: the requests and limits of their containers.

import { parseTime, type Quantity } from "@homeostat/core";
import { fitsClass, type QuotaEvaluator, type QuotaScope } from "../../../admission/quota-evaluator.ts";
import { addAmounts, type Amounts, amountsAt, one, podAmounts } from "../../../admission/resource-lists.ts";
import { entriesAt, isSet, listAt, numberAt, textAt } from "../../../values/fields.ts";
import { qosClassOf } from "./qos-class.ts";

const computeNames = new Set([
  "cpu",
  "memory",
  "ephemeral-storage",
  "requests.cpu",
  "requests.memory",
  "requests.ephemeral-storage",
  "limits.cpu",
  "limits.memory",
  "limits.ephemeral-storage",
  "pods",
]);

/** Evaluator of pods: quotas limit their number, requests and limits. */
export const podQuota: QuotaEvaluator = {
  measures: (name) =>
    computeNames.has(name) || /^(requests\.)?hugepages-/.test(name) || /^requests\.[^/]+\//.test(name),
  usage: podUsage,
  measuresUpdate: (pod, old) => hasDeadline(pod) !== hasDeadline(old),
  measuredSubresources: ["resize"],
  isInScope,
  missingText,
};

function podUsage(pod: unknown, nowMs: number): ReadonlyMap<string, Quantity> {
  // A pod that has ended, or should have ended a grace period ago, uses no resources (`QuotaV1Pod` of Kubernetes). It still counts as an
  // object.
  if (["Failed", "Succeeded"].includes(textAt(pod, "status", "phase")) || shouldHaveEnded(pod, nowMs)) return new Map();
  const overhead = amountsAt(pod, "spec", "overhead");
  const requests = podAmounts(pod, "requests");
  const limits = podAmounts(pod, "limits");
  addAmounts(requests, overhead);
  for (const [name, amount] of overhead) {
    const limit = limits.get(name);
    if (limit !== undefined) limits.set(name, limit.add(amount));
  }
  return computeUsage(requests, limits);
}

const computeResources = ["cpu", "memory", "ephemeral-storage"];

/** Returns requests and limits under their names in quotas. */
function computeUsage(requests: Amounts, limits: Amounts): Map<string, Quantity> {
  const usage = new Map([["pods", one]]);
  for (const name of computeResources) {
    const [request, limit] = [requests.get(name), limits.get(name)];
    if (request !== undefined) usage.set(name, request).set(`requests.${name}`, request);
    if (limit !== undefined) usage.set(`limits.${name}`, limit);
  }
  for (const [name, request] of requests) {
    if (name.startsWith("hugepages-")) usage.set(name, request).set(`requests.${name}`, request);
    else if (name.includes("/")) usage.set(`requests.${name}`, request);
  }
  return usage;
}

function shouldHaveEnded(pod: unknown, nowMs: number): boolean {
  if (!isSet(pod, "metadata", "deletionTimestamp") || !isSet(pod, "metadata", "deletionGracePeriodSeconds")) {
    return false;
  }
  const due = parseTime(textAt(pod, "metadata", "deletionTimestamp"));
  return nowMs > due + numberAt(pod, "metadata", "deletionGracePeriodSeconds") * 1000;
}

function isInScope(pod: unknown, scope: QuotaScope): boolean {
  switch (scope.name) {
    case "Terminating":
      return hasDeadline(pod);
    case "NotTerminating":
      return !hasDeadline(pod);
    case "BestEffort":
      return qosClassOf(pod) === "BestEffort";
    case "NotBestEffort":
      return qosClassOf(pod) !== "BestEffort";
    case "PriorityClass":
      return fitsClass(scope, textAt(pod, "spec", "priorityClassName"));
    case "CrossNamespacePodAffinity":
      return hasCrossNamespaceAffinity(pod);
    default:
      return false;
  }
}

function hasDeadline(pod: unknown): boolean {
  return isSet(pod, "spec", "activeDeadlineSeconds") && numberAt(pod, "spec", "activeDeadlineSeconds") >= 0;
}

function hasCrossNamespaceAffinity(pod: unknown): boolean {
  const terms = ["podAffinity", "podAntiAffinity"].flatMap((kind) => [
    ...listAt(pod, "spec", "affinity", kind, "requiredDuringSchedulingIgnoredDuringExecution"),
    ...listAt(pod, "spec", "affinity", kind, "preferredDuringSchedulingIgnoredDuringExecution").map((term) =>
      typeof term === "object" && term !== null && "podAffinityTerm" in term ? term.podAffinityTerm : undefined,
    ),
  ]);
  return terms.some((term) => listAt(term, "namespaces").length > 0 || isSet(term, "namespaceSelector"));
}

const requiredNames = ["cpu", "limits.cpu", "limits.memory", "memory", "requests.cpu", "requests.memory"];

/** Returns a text with the containers that lack a request or limit which a quota requires; empty when none does. */
function missingText(pod: unknown, names: readonly string[]): string {
  if (isSet(pod, "spec", "resources") && entriesAt(pod, "spec", "resources").length > 0) return "";
  const containers = [...listAt(pod, "spec", "containers"), ...listAt(pod, "spec", "initContainers")];
  const texts = requiredNames
    .filter((name) => names.includes(name))
    .map((name) => ({
      name,
      missing: containers
        .filter((container) => {
          const own = (field: string): Amounts => amountsAt(container, "resources", field);
          return !computeUsage(own("requests"), own("limits")).has(name);
        })
        .map((container) => textAt(container, "name")),
    }))
    .filter(({ missing }) => missing.length > 0)
    .map(({ name, missing }) => `${name} for: ${[...new Set(missing)].toSorted().join(",")}`);
  return texts.length === 0 ? "" : `must specify ${texts.join("; ")}`;
}
