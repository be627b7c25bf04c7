import { createHash } from "node:crypto";
import { formatTime, releaseVersion } from "@homeostat/core";
import type { Node, NodeCondition, NodeStatus, Taint } from "@homeostat/kubernetes/core/v1";

/** The properties of a simulated node. */
export interface NodeDescription {
  readonly name: string;
  readonly hostIP: string;
  readonly podCidr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  /** Resources of the node: `{ cpu: "8", memory: "16Gi" }`. */
  readonly capacity: Readonly<Record<string, string>>;
  /** Kubernetes version that the kubelet reports. */
  readonly version: string;
}

/** Default resources of a node. */
export const defaultCapacity: Readonly<Record<string, string>> = {
  cpu: "8",
  memory: "16Gi",
  "ephemeral-storage": "100Gi",
  pods: "110",
};

/** Version of the simulated kubelet. */
export const kubeletVersion = "v1.36.3";

const architectures: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64", arm: "arm", ia32: "386" };

/** Builds the Node object of a new node. */
export function nodeObject(description: NodeDescription, now: number): Node {
  const { name, labels, taints, podCidr } = description;
  const architecture = architectures[process.arch] ?? process.arch;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: {
        "beta.kubernetes.io/arch": architecture,
        "beta.kubernetes.io/os": "linux",
        "kubernetes.io/arch": architecture,
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        ...labels,
      },
      annotations: { "volumes.kubernetes.io/controller-managed-attach-detach": "true" },
    },
    spec: {
      podCIDR: podCidr,
      podCIDRs: [podCidr],
      ...(taints.length === 0 ? {} : { taints: [...taints] }),
    },
    status: nodeStatus(description, { now, since: now }),
  };
}

/** Builds the status of a healthy node. */
export function nodeStatus(
  { name, hostIP, capacity, version }: NodeDescription,
  { now, since }: { readonly now: number; readonly since: number },
): NodeStatus {
  const condition = (
    type: string,
    status: "True" | "False",
    [reason, message]: readonly [string, string],
  ): NodeCondition => ({
    type,
    status,
    reason,
    message,
    lastHeartbeatTime: formatTime(now),
    lastTransitionTime: formatTime(since),
  });
  return {
    addresses: [
      { type: "InternalIP", address: hostIP },
      { type: "Hostname", address: name },
    ],
    capacity: { ...capacity },
    allocatable: { ...capacity },
    conditions: [
      condition("MemoryPressure", "False", ["KubeletHasSufficientMemory", "kubelet has sufficient memory available"]),
      condition("DiskPressure", "False", ["KubeletHasNoDiskPressure", "kubelet has no disk pressure"]),
      condition("PIDPressure", "False", ["KubeletHasSufficientPID", "kubelet has sufficient PID available"]),
      condition("Ready", "True", ["KubeletReady", "kubelet is posting ready status"]),
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } },
    nodeInfo: {
      architecture: architectures[process.arch] ?? process.arch,
      operatingSystem: "linux",
      osImage: "Homeostat (simulated)",
      kernelVersion: "simulated",
      containerRuntimeVersion: `homeostat://${releaseVersion}`,
      kubeletVersion: version,
      kubeProxyVersion: "",
      machineID: identity(name, "machine"),
      systemUUID: identity(name, "system"),
      bootID: identity(name, "boot"),
    },
  };
}

function identity(name: string, what: string): string {
  return createHash("sha256").update(`${what} ${name}`).digest("hex").slice(0, 32);
}
