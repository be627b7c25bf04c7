import { formatTime, type JsonRecord } from "@homeostat/core";

/** What the objects of a fresh cluster tell. */
export interface BootstrapOptions {
  /** Where the server can be reached: an address, not a name. */
  readonly address: string;
  readonly port: number;
  readonly nowMs: number;
  /** PEM of the authority that vouches for client certificates. */
  readonly clientAuthority: string;
  /** Of the addresses of Services. Default `10.96.0.0/12`. */
  readonly serviceRange?: string;
}

/**
 * What a fresh cluster has besides its namespaces, roles and the Service `kubernetes`, as it is to be created, in this order.
 *
 * No StorageClass is among it, and no account or ConfigMap of a namespace: controllers make those.
 */
export function furtherObjects(options: BootstrapOptions): JsonRecord[] {
  return [...priorityClasses, ...configMaps(options), serviceRange(options), ...ownEndpoints(options)];
}

const priorityClasses = [
  {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name: "system-cluster-critical" },
    value: 2_000_000_000,
    description:
      "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
    preemptionPolicy: "PreemptLowerPriority",
  },
  {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name: "system-node-critical" },
    value: 2_000_001_000,
    description: "Used for system critical pods that must not be moved from their current node.",
    preemptionPolicy: "PreemptLowerPriority",
  },
];

function configMaps({ clientAuthority, nowMs }: BootstrapOptions): JsonRecord[] {
  return [
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "extension-apiserver-authentication", namespace: "kube-system" },
      data: { "client-ca-file": clientAuthority },
    },
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "kube-apiserver-legacy-service-account-token-tracking", namespace: "kube-system" },
      data: { since: formatTime(nowMs).slice(0, 10) },
    },
  ];
}

function serviceRange({ serviceRange: range = "10.96.0.0/12" }: BootstrapOptions): JsonRecord {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "ServiceCIDR",
    metadata: { name: "kubernetes" },
    spec: { cidrs: [range] },
  };
}

/** The status of the ServiceCIDR `kubernetes`, which is written by itself. */
export function serviceRangeStatus(nowMs: number): JsonRecord {
  const condition = {
    type: "Ready",
    status: "True",
    lastTransitionTime: formatTime(nowMs),
    reason: "",
    message: "Kubernetes default Service CIDR is ready",
  };
  return { conditions: [condition] };
}

/** What is behind the Service `kubernetes`, through which programs in the cluster find the server. */
function ownEndpoints({ address, port }: BootstrapOptions): JsonRecord[] {
  const metadata = { name: "kubernetes", namespace: "default" };
  const target = { name: "https", port, protocol: "TCP" };
  return [
    {
      apiVersion: "v1",
      kind: "Endpoints",
      metadata: { ...metadata, labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } },
      subsets: [{ addresses: [{ ip: address }], ports: [target] }],
    },
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { ...metadata, labels: { "kubernetes.io/service-name": "kubernetes" } },
      addressType: address.includes(":") ? "IPv6" : "IPv4",
      endpoints: [{ addresses: [address], conditions: { ready: true } }],
      ports: [target],
    },
  ];
}
