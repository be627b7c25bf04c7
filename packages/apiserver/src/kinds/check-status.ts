// What the numbers and addresses in a status are held to when it is written through its own path.

import { isIP } from "node:net";
import { checkIp } from "./check-pod-spec.ts";
import type { Field } from "./field.ts";

/** The counts in a status, and how they go together. */
interface Counts {
  /** None of them is below zero, in the order in which they are looked at. */
  readonly counts: readonly string[];
  /** Those that cannot be more than all replicas. */
  readonly parts: readonly string[];
  /** What is said of more available replicas than ready ones; undefined where nobody minds. */
  readonly availableWords?: string;
}

const deployment: Counts = {
  counts: [
    "observedGeneration",
    "replicas",
    "updatedReplicas",
    "readyReplicas",
    "availableReplicas",
    "unavailableReplicas",
    "terminatingReplicas",
    "collisionCount",
  ],
  parts: ["updatedReplicas", "readyReplicas", "availableReplicas"],
  availableWords: "cannot be greater than readyReplicas",
};

const replicaSet: Counts = {
  counts: [
    "replicas",
    "fullyLabeledReplicas",
    "readyReplicas",
    "availableReplicas",
    "observedGeneration",
    "terminatingReplicas",
  ],
  parts: ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
  availableWords: "cannot be greater than readyReplicas",
};

const statefulSet: Counts = {
  counts: [
    "replicas",
    "readyReplicas",
    "currentReplicas",
    "updatedReplicas",
    "availableReplicas",
    "observedGeneration",
    "collisionCount",
  ],
  parts: ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"],
  availableWords: "cannot be greater than status.readyReplicas",
};

const daemonSet: Counts = {
  counts: [
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
    "observedGeneration",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
    "collisionCount",
  ],
  parts: [],
};

const budget: Counts = {
  counts: ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"],
  parts: [],
};

type StatusRule = (object: Field, old: Field) => void;

/** Rules by `plural.group`. The status of other kinds is taken as it is. */
export const statusRules: ReadonlyMap<string, StatusRule> = new Map<string, StatusRule>([
  ["deployments.apps", counted(deployment)],
  ["replicasets.apps", counted(replicaSet)],
  ["statefulsets.apps", counted(statefulSet)],
  ["daemonsets.apps", counted(daemonSet)],
  ["poddisruptionbudgets.policy", counted(budget)],
  ["services.", checkServiceStatus],
  ["namespaces.", checkNamespaceStatus],
  ["validatingadmissionpolicies.admissionregistration.k8s.io", checkPolicyStatus],
]);

function counted({ counts, parts, availableWords }: Counts): StatusRule {
  return (object, old) => {
    const status = object.at("status");
    for (const name of counts) status.at(name).notNegative();
    const all = status.at("replicas").number;
    for (const name of parts) {
      if (status.at(name).number > all) status.at(name).invalid("cannot be greater than status.replicas");
    }
    const available = status.at("availableReplicas");
    if (availableWords !== undefined && available.number > status.at("readyReplicas").number)
      available.invalid(availableWords);
    const [collisions, before] = [status.at("collisionCount"), old.at("status").at("collisionCount")];
    if (before.isSet && (!collisions.isSet || collisions.number < before.number))
      collisions.invalid("cannot be decremented", collisions.number);
  };
}

const modes = ["Proxy", "VIP"];

function checkServiceStatus(object: Field): void {
  const ingress = object.at("status").at("loadBalancer").at("ingress");
  if (object.at("spec").at("type").text !== "LoadBalancer") {
    if (ingress.length > 0) ingress.forbidden("may only be used when `spec.type` is 'LoadBalancer'");
    return;
  }
  for (const each of ingress.items()) {
    const [ip, mode, host] = [each.at("ip"), each.at("ipMode"), each.at("hostname")];
    if (ip.text !== "") checkIp(ip);
    if (!mode.isSet) {
      if (ip.text !== "") mode.required("must be specified when `ip` is set");
    } else if (ip.text === "") mode.forbidden("may not be specified when `ip` is not set");
    else if (!modes.includes(mode.text)) mode.notSupported(modes);
    if (host.text === "") continue;
    host.dnsSubdomain();
    if (isIP(host.text) !== 0) host.invalid("must be a DNS name, not an IP address");
  }
}

/** Warnings of a policy say of which of its expressions they are. */
function checkPolicyStatus(object: Field): void {
  for (const warning of object.at("status").at("typeChecking").at("expressionWarnings").items()) {
    if (warning.at("warning").text === "") warning.at("warning").required();
    if (warning.at("fieldRef").text.trim() === "") warning.at("fieldRef").required();
  }
}

/** The phase of a namespace says whether it is being deleted, and nothing else. */
function checkNamespaceStatus(object: Field): void {
  const phase = object.at("status").at("phase").as("status.Phase");
  const isGoing = object.at("metadata").at("deletionTimestamp").text !== "";
  if (!isGoing && phase.text !== "Active") phase.invalid("may only be 'Active' if `deletionTimestamp` is empty");
  if (isGoing && phase.text !== "Terminating")
    phase.invalid("may only be 'Terminating' if `deletionTimestamp` is not empty");
}
