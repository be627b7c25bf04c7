// Defaults that depend on other fields, by the type's name without its common beginning.

import { deepClone, isRecord, type JsonRecord, safeSet } from "@homeostat/core";
import { entriesAt, isSet, listAt, numberAt, textAt, valueAt } from "../tables/read.ts";
import { fill, isUnset, partOf } from "./fill.ts";

/** Fills in fields of a value of one type, in place. */
export type DefaultRule = (value: JsonRecord) => void;

const alwaysPull = /(?::latest|^[^:]*|\/[^:]*)$/;

/** `Always` for the image that may change under its name, else `IfNotPresent`. */
function pullPolicy(image: string): string {
  if (image.includes("@")) return "IfNotPresent";
  return alwaysPull.test(image) ? "Always" : "IfNotPresent";
}

function container(value: JsonRecord): void {
  fill(value, { imagePullPolicy: pullPolicy(textAt(value, "image")) });
}

/** What a pod asks for is at least what it may use, where it does not say. */
function requestsFromLimits(value: unknown): void {
  for (const each of listAt(value)) {
    if (!isRecord(each) || !isSet(each, "resources", "limits")) continue;
    const requests = partOf(partOf(each, "resources"), "requests");
    for (const [name, limit] of entriesAt(each, "resources", "limits")) {
      if (!Object.hasOwn(requests, name)) safeSet(requests, name, limit);
    }
  }
}

function hostPorts(value: unknown): void {
  for (const port of listAt(value).flatMap((each) => listAt(each, "ports"))) {
    if (isRecord(port) && numberAt(port, "hostPort") === 0) safeSet(port, "hostPort", port["containerPort"]);
  }
}

function pod(value: JsonRecord): void {
  const spec = partOf(value, "spec");
  requestsFromLimits(spec["containers"]);
  requestsFromLimits(spec["initContainers"]);
  fill(spec, { enableServiceLinks: true });
  if (spec["hostNetwork"] !== true) return;
  hostPorts(spec["containers"]);
  hostPorts(spec["initContainers"]);
}

function podSpec(value: JsonRecord): void {
  // Two names of one field, the older of which is kept for old clients.
  const account = textAt(value, "serviceAccountName") || textAt(value, "serviceAccount");
  if (account !== "") Object.assign(value, { serviceAccountName: account, serviceAccount: account });
}

function volume(value: JsonRecord): void {
  const sources = Object.keys(value).filter((key) => key !== "name" && isSet(value, key));
  if (sources.length === 0) safeSet(value, "emptyDir", {});
  const image = value["image"];
  if (isRecord(image)) fill(image, { pullPolicy: pullPolicy(textAt(image, "reference")) });
}

function serviceSpec(value: JsonRecord): void {
  const type = textAt(value, "type");
  const isReachable = type === "NodePort" || type === "LoadBalancer";
  if (textAt(value, "sessionAffinity") === "None") delete value["sessionAffinityConfig"];
  if (
    textAt(value, "sessionAffinity") === "ClientIP" &&
    !isSet(value, "sessionAffinityConfig", "clientIP", "timeoutSeconds")
  ) {
    value["sessionAffinityConfig"] = { clientIP: { timeoutSeconds: 10800 } };
  }
  for (const port of listAt(value, "ports")) {
    if (!isRecord(port)) continue;
    fill(port, { protocol: "TCP" });
    const target = port["targetPort"];
    if (target === undefined || target === null || target === 0 || target === "") port["targetPort"] = port["port"];
  }
  const hasOutside = type === "ClusterIP" && listAt(value, "externalIPs").length > 0;
  if (isReachable || hasOutside) fill(value, { externalTrafficPolicy: "Cluster" });
  if (isReachable || type === "ClusterIP") fill(value, { internalTrafficPolicy: "Cluster" });
  if (type === "LoadBalancer") fill(value, { allocateLoadBalancerNodePorts: true });
}

function service(value: JsonRecord): void {
  if (textAt(value, "spec", "type") !== "LoadBalancer") return;
  for (const entry of listAt(value, "status", "loadBalancer", "ingress")) {
    if (isRecord(entry) && textAt(entry, "ip") !== "") fill(entry, { ipMode: "VIP" });
  }
}

function namespace(value: JsonRecord): void {
  const name = textAt(value, "metadata", "name");
  if (name !== "") partOf(partOf(value, "metadata"), "labels")["kubernetes.io/metadata.name"] = name;
}

function limitRangeItem(value: JsonRecord): void {
  if (textAt(value, "type") !== "Container") return;
  const copy = (from: string, to: string): void => {
    for (const [name, amount] of entriesAt(value, from)) {
      const target = partOf(value, to);
      if (!Object.hasOwn(target, name)) safeSet(target, name, amount);
    }
  };
  copy("max", "default");
  copy("default", "defaultRequest");
  copy("min", "defaultRequest");
}

function replicationController(value: JsonRecord): void {
  const labels = valueAt(value, "spec", "template", "metadata", "labels");
  if (!isRecord(labels)) return;
  if (entriesAt(value, "spec", "selector").length === 0) partOf(value, "spec")["selector"] = deepClone(labels);
  labelsFrom(value, labels);
}

function labelsFrom(value: JsonRecord, labels: JsonRecord): void {
  if (entriesAt(value, "metadata", "labels").length === 0) partOf(value, "metadata")["labels"] = deepClone(labels);
}

function rolling(defaults: JsonRecord): DefaultRule {
  return (value) => {
    fill(value, { type: "RollingUpdate" });
    if (textAt(value, "type") === "RollingUpdate") fill(partOf(value, "rollingUpdate"), defaults);
  };
}

function statefulSetStrategy(value: JsonRecord): void {
  if (isUnset(value["type"])) {
    value["type"] = "RollingUpdate";
    partOf(value, "rollingUpdate");
  }
  const update = value["rollingUpdate"];
  if (textAt(value, "type") === "RollingUpdate" && isRecord(update)) fill(update, { partition: 0 });
}

/** Parts that are always there, so that they have defaults of their own even when nobody wrote them. */
function parts(...names: readonly string[]): DefaultRule {
  return (value) => {
    for (const name of names) partOf(value, name);
  };
}

function statefulSetSpec(value: JsonRecord): void {
  parts("updateStrategy", "template")(value);
  for (const claim of listAt(value, "volumeClaimTemplates")) {
    if (isRecord(claim)) Object.assign(claim, { apiVersion: "v1", kind: "PersistentVolumeClaim" });
  }
}

function job(value: JsonRecord): void {
  const spec = partOf(value, "spec");
  if (!isSet(spec, "completions") && !isSet(spec, "parallelism")) fill(spec, { completions: 1 });
  fill(spec, {
    parallelism: 1,
    backoffLimit: isSet(spec, "backoffLimitPerIndex") ? 2147483647 : 6,
    completionMode: "NonIndexed",
    suspend: false,
    podReplacementPolicy: isSet(spec, "podFailurePolicy") ? "Failed" : "TerminatingOrFailed",
    manualSelector: false,
  });
  const labels = valueAt(spec, "template", "metadata", "labels");
  if (isRecord(labels)) labelsFrom(value, labels);
}

function networkPolicySpec(value: JsonRecord): void {
  if (listAt(value, "policyTypes").length > 0) return;
  value["policyTypes"] = ["Ingress", ...(listAt(value, "egress").length > 0 ? ["Egress"] : [])];
}

function subject(value: JsonRecord): void {
  const kind = textAt(value, "kind");
  if (kind === "User" || kind === "Group") fill(value, { apiGroup: "rbac.authorization.k8s.io" });
}

const periodic = (type: string, amount: number): JsonRecord => ({ type, value: amount, periodSeconds: 15 });

function autoscalerSpec(value: JsonRecord): void {
  fill(value, { minReplicas: 1 });
  if (listAt(value, "metrics").length === 0) {
    const target = { type: "Utilization", averageUtilization: 80 };
    value["metrics"] = [{ type: "Resource", resource: { name: "cpu", target } }];
  }
  const behavior = value["behavior"];
  if (!isRecord(behavior)) return;
  fill(partOf(behavior, "scaleUp"), {
    stabilizationWindowSeconds: 0,
    selectPolicy: "Max",
    policies: [periodic("Pods", 4), periodic("Percent", 100)],
  });
  fill(partOf(behavior, "scaleDown"), { selectPolicy: "Max", policies: [periodic("Percent", 100)] });
}

function customResourceDefinition(value: JsonRecord): void {
  const names = partOf(partOf(value, "spec"), "names");
  const kind = textAt(names, "kind");
  fill(names, { singular: kind.toLowerCase(), ...(kind === "" ? {} : { listKind: `${kind}List` }) });
  const stored = listAt(value, "spec", "versions").find((version) => valueAt(version, "storage") === true);
  if (stored !== undefined && listAt(value, "status", "storedVersions").length === 0) {
    partOf(value, "status")["storedVersions"] = [textAt(stored, "name")];
  }
}

function nodeStatus(value: JsonRecord): void {
  if (isRecord(value["capacity"]) && isUnset(value["allocatable"])) value["allocatable"] = deepClone(value["capacity"]);
}

function deviceRequest(value: JsonRecord): void {
  const mode = textAt(value, "allocationMode");
  if ((mode === "" || mode === "ExactCount") && numberAt(value, "count") === 0) value["count"] = 1;
}

const phase =
  (word: string): DefaultRule =>
  (value) =>
    fill(partOf(value, "status"), { phase: word });

/** Defaults by type that need more than a table. They run before those of the parts. */
export const defaultRules: ReadonlyMap<string, DefaultRule> = new Map<string, DefaultRule>([
  ["core.v1.Container", container],
  ["core.v1.EphemeralContainer", container],
  ["core.v1.Pod", pod],
  ["core.v1.PodSpec", podSpec],
  ["core.v1.Volume", volume],
  ["core.v1.ServiceSpec", serviceSpec],
  ["core.v1.Service", service],
  ["core.v1.Namespace", namespace],
  ["core.v1.NodeStatus", nodeStatus],
  ["core.v1.LimitRangeItem", limitRangeItem],
  ["core.v1.ReplicationController", replicationController],
  ["core.v1.PersistentVolume", phase("Pending")],
  ["core.v1.PersistentVolumeClaim", phase("Pending")],
  ["core.v1.NamespaceStatus", (value) => fill(value, { phase: "Active" })],
  ["apps.v1.DeploymentStrategy", rolling({ maxUnavailable: "25%", maxSurge: "25%" })],
  ["apps.v1.DaemonSetUpdateStrategy", rolling({ maxUnavailable: 1, maxSurge: 0 })],
  ["apps.v1.StatefulSetUpdateStrategy", statefulSetStrategy],
  ["apps.v1.DeploymentSpec", parts("strategy", "template")],
  ["apps.v1.DaemonSetSpec", parts("updateStrategy", "template")],
  ["apps.v1.ReplicaSetSpec", parts("template")],
  ["batch.v1.JobSpec", parts("template")],
  ["batch.v1.CronJobSpec", parts("jobTemplate")],
  ["batch.v1.JobTemplateSpec", parts("spec")],
  ["core.v1.PodTemplateSpec", parts("spec")],
  ["rbac.v1.RoleBinding", parts("roleRef")],
  ["rbac.v1.ClusterRoleBinding", parts("roleRef")],
  ["apps.v1.StatefulSetSpec", statefulSetSpec],
  ["batch.v1.Job", job],
  ["resource.v1.ExactDeviceRequest", deviceRequest],
  ["resource.v1.DeviceSubRequest", deviceRequest],
  ["networking.v1.NetworkPolicySpec", networkPolicySpec],
  ["rbac.v1.Subject", subject],
  ["autoscaling.v2.HorizontalPodAutoscalerSpec", autoscalerSpec],
  ["autoscaling.v1.HorizontalPodAutoscalerSpec", (spec) => fill(spec, { minReplicas: 1 })],
  ["apiextensions.v1.CustomResourceDefinition", customResourceDefinition],
]);
