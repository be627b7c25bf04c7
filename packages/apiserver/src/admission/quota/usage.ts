// What an object uses of what a ResourceQuota measures. Resources are named as in messages: `pods`, `deployments.apps`.

import { parseTime, type Quantity, quantityFromInteger } from "@homeostat/core";
import { isSet, listAt, numberAt, textAt, valueAt } from "../../tables/read.ts";
import { addAmounts, type Amounts, amountsAt, one, podAmounts } from "../resource-lists.ts";

const podNames = new Set([
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
const serviceNames = new Set(["services", "services.nodeports", "services.loadbalancers"]);
const claimNames = ["persistentvolumeclaims", "requests.storage"];
const byClass = ".storageclass.storage.k8s.io/";
/** Kinds that could be counted before any kind could. */
const plainlyCounted = new Set(["configmaps", "resourcequotas", "replicationcontrollers", "secrets"]);

/** Whether a name in a quota measures objects of a resource. */
export function measures(name: string, resource: string): boolean {
  if (name === `count/${resource}`) return true;
  switch (resource) {
    case "pods":
      return podNames.has(name) || /^(requests\.)?hugepages-/.test(name) || /^requests\.[^/]+\//.test(name);
    case "services":
      return serviceNames.has(name);
    case "persistentvolumeclaims":
      return claimNames.includes(name) || claimNames.some((each) => name.endsWith(byClass + each));
    default:
      return name === resource && plainlyCounted.has(resource);
  }
}

/** The resource whose objects a name in a quota measures; undefined where nothing is known of it. */
export function measuredResource(name: string): string | undefined {
  if (name.startsWith("count/")) return name.slice("count/".length);
  if (plainlyCounted.has(name)) return name;
  return ["services", "persistentvolumeclaims", "pods"].find((resource) => measures(name, resource));
}

/** What one object of a resource uses. */
export function usageOf(resource: string, object: unknown, nowMs: number): Map<string, Quantity> {
  switch (resource) {
    case "pods":
      return podUsage(object, nowMs);
    case "services":
      return serviceUsage(object);
    case "persistentvolumeclaims":
      return claimUsage(object);
    default:
      return new Map(
        [`count/${resource}`, ...(plainlyCounted.has(resource) ? [resource] : [])].map((name) => [name, one]),
      );
  }
}

function podUsage(pod: unknown, nowMs: number): Map<string, Quantity> {
  const usage = new Map([["count/pods", one]]);
  // What has ended, or should have by now, uses nothing but its place.
  if (["Failed", "Succeeded"].includes(textAt(pod, "status", "phase")) || isOverdue(pod, nowMs)) return usage;
  const overhead = amountsAt(pod, "spec", "overhead");
  const requests = podAmounts(pod, "requests");
  const limits = podAmounts(pod, "limits");
  addAmounts(requests, overhead);
  for (const [name, amount] of overhead) {
    const limit = limits.get(name);
    if (limit !== undefined) limits.set(name, limit.add(amount));
  }
  addAmounts(usage, computeUsage(requests, limits));
  return usage;
}

const basics = ["cpu", "memory", "ephemeral-storage"];

/** Requests and limits under the names that quotas have for them. */
export function computeUsage(requests: Amounts, limits: Amounts): Map<string, Quantity> {
  const usage = new Map([["pods", one]]);
  for (const name of basics) {
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

function isOverdue(pod: unknown, nowMs: number): boolean {
  if (!isSet(pod, "metadata", "deletionTimestamp") || !isSet(pod, "metadata", "deletionGracePeriodSeconds")) {
    return false;
  }
  const due = parseTime(textAt(pod, "metadata", "deletionTimestamp"));
  return nowMs > due + numberAt(pod, "metadata", "deletionGracePeriodSeconds") * 1000;
}

function serviceUsage(service: unknown): Map<string, Quantity> {
  const type = textAt(service, "spec", "type");
  const ports = listAt(service, "spec", "ports");
  const isBalanced = type === "LoadBalancer";
  const given =
    isBalanced && valueAt(service, "spec", "allocateLoadBalancerNodePorts") === false
      ? ports.filter((port) => numberAt(port, "nodePort") !== 0)
      : ports;
  return new Map([
    ["count/services", one],
    ["services", one],
    ["services.loadbalancers", quantityFromInteger(isBalanced ? 1 : 0)],
    ["services.nodeports", quantityFromInteger(isBalanced || type === "NodePort" ? given.length : 0)],
  ]);
}

function claimUsage(claim: unknown): Map<string, Quantity> {
  const usage = new Map([
    ["persistentvolumeclaims", one],
    ["count/persistentvolumeclaims", one],
  ]);
  const annotated = textAt(valueAt(claim, "metadata", "annotations"), "volume.beta.kubernetes.io/storage-class");
  const className = annotated === "" ? textAt(claim, "spec", "storageClassName") : annotated;
  if (className !== "") usage.set(`${className}${byClass}persistentvolumeclaims`, one);
  const asked = amountsAt(claim, "spec", "resources", "requests").get("storage");
  if (asked === undefined) return usage;
  const allocated = amountsAt(claim, "status", "allocatedResources").get("storage");
  const larger = allocated?.isGreaterThan(asked) === true ? allocated : asked;
  const size = larger.isInteger() ? larger : quantityFromInteger(larger.value(), larger.format);
  usage.set("requests.storage", size);
  if (className !== "") usage.set(`${className}${byClass}requests.storage`, size);
  return usage;
}
