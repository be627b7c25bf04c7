// Fields of workloads that patches cannot change unless a policy allows it, because they would give a fork more rights than its baseline.

import { isList, isRecord, ownValue } from "@homeostat/core";

/** A field that is guarded. */
export interface GuardedField {
  /** The name in denials: `HostNetwork`. */
  readonly name: string;
  /** Steps of the JSON pointer, with `*` for positions in lists. */
  readonly pointer: readonly string[];
  /**
   * Reports whether a value gives more rights. The guard compares the patched workload with its baseline and refuses a value that differs
   * and for which this is true; a value that the baseline already has is allowed.
   */
  readonly forbids: (value: unknown) => boolean;
}

const pod = ["spec", "template", "spec"];
const containerLists = ["containers", "initContainers", "ephemeralContainers"];

const anyValue = (): boolean => true;
const isTrue = (value: unknown): boolean => value === true;
const isRoot = (value: unknown): boolean => value === 0;
const hasEntries = (value: unknown): boolean => isList(value) && value.length > 0;

function ofPod(name: string, fields: readonly string[], forbids: GuardedField["forbids"] = anyValue): GuardedField {
  return { name, pointer: [...pod, ...fields], forbids };
}

/** Returns a guarded field of all containers, init containers and ephemeral containers. */
function ofContainers(name: string, fields: readonly string[], forbids: GuardedField["forbids"]): GuardedField[] {
  return containerLists.map((list) => ofPod(name, [list, "*", ...fields], forbids));
}

/** Reports whether an alias of `/etc/hosts` replaces a name that the DNS of the cluster serves. */
function hasClusterName(value: unknown): boolean {
  if (!isList(value)) return true;
  return value.some((alias) => {
    const names = isRecord(alias) ? ownValue(alias, "hostnames") : undefined;
    return !isList(names) || names.some((name) => typeof name !== "string" || isClusterName(name));
  });
}

function isClusterName(name: string): boolean {
  const steps = name.toLowerCase().split(".");
  return steps.length === 1 || steps.includes("svc") || steps.at(-1) === "local";
}

/** All guarded fields. */
export const guardedFields: readonly GuardedField[] = [
  ofPod("ServiceAccount", ["serviceAccountName"]),
  ofPod("ServiceAccount", ["serviceAccount"]),
  ofPod("ServiceAccountToken", ["automountServiceAccountToken"], isTrue),
  ofPod("HostNetwork", ["hostNetwork"], isTrue),
  ofPod("HostPID", ["hostPID"], isTrue),
  ofPod("HostIPC", ["hostIPC"], isTrue),
  ofPod("HostUsers", ["hostUsers"]),
  ofPod("RunAsRoot", ["securityContext", "runAsUser"], isRoot),
  ...ofContainers("RunAsRoot", ["securityContext", "runAsUser"], isRoot),
  ...ofContainers("Capabilities", ["securityContext", "capabilities", "add"], hasEntries),
  ...ofContainers("Privileged", ["securityContext", "privileged"], isTrue),
  ...ofContainers("PrivilegeEscalation", ["securityContext", "allowPrivilegeEscalation"], isTrue),
  ...ofContainers("ProcMount", ["securityContext", "procMount"], (value) => value !== "Default"),
  ofPod("HostPathVolume", ["volumes", "*", "hostPath"]),
  ofPod("TokenVolume", ["volumes", "*", "projected", "sources", "*", "serviceAccountToken"]),
  ofPod("CsiVolume", ["volumes", "*", "csi"]),
  ofPod("NodeName", ["nodeName"]),
  ofPod("PriorityClass", ["priorityClassName"]),
  ofPod("Scheduler", ["schedulerName"]),
  ofPod("RuntimeClass", ["runtimeClassName"]),
  ofPod("ProcessNamespace", ["shareProcessNamespace"], isTrue),
  ofPod("HostAliases", ["hostAliases"], hasClusterName),
];
