// Names of the objects of a cluster, and the addresses of its members.

import { type Component, type StatefulComponent, statefulComponents } from "./identity.ts";

/** The longest name of a cluster: `<name>-controller-<hash>` must fit the revision label of the StatefulSet's pods. */
export const nameLengthMax = 40;

/** The name becomes the start of Service names, so it starts with a letter. */
export const namePattern = "^[a-z]([-a-z0-9]*[a-z0-9])?$";

/** Suffixes of object names. A cluster whose name ends in one could claim the objects of another cluster. */
export const reservedNameSuffixes = ["-controller", "-ingest", "-search"] as const;

export const nameProblem: string = `must be at most ${nameLengthMax} lower-case letters, digits and dashes, start with a letter and end with a letter or digit`;

export const nameSuffixProblem: string = `must not end in ${reservedNameSuffixes.join(", ")}: the objects of two clusters could get the same names`;

/** Ports of the containers and Services. They are not configurable: every pod has its own address. */
export const ports = {
  /** Raft and metadata requests of controllers. */
  controller: 9090,
  /** Kafka clients of ingest nodes. */
  kafka: 9092,
  /** Requests between search nodes, and of clients. */
  search: 9093,
  /** REST clients of search nodes. */
  rest: 9200,
  metrics: 8080,
  health: 8081,
} as const;

/** The port at which other members and clients connect to a component. */
export const mainPorts: Readonly<Record<Component, number>> = {
  controller: ports.controller,
  ingest: ports.kafka,
  search: ports.search,
};

/** The name of the claim template, and the start of the claim names. */
export const dataVolume = "data";

/** The two colors of search Deployments of clusters with `updateStrategy.search: BlueGreen`. */
export const colors = ["blue", "green"] as const;

export type Color = (typeof colors)[number];

/** The names of the objects of a cluster. */
export const names = {
  /** Workload, governing Service, ServiceAccount, Role, RoleBinding, ChronikNodeGroup and NetworkPolicy of a component. */
  component: (cluster: string, component: Component): string => `${cluster}-${component}`,
  /** The ConfigMap with the keys that all components share. */
  config: (cluster: string): string => `${cluster}-config`,
  componentConfig: (cluster: string, component: Component): string => `${cluster}-${component}-config`,
  disruptionBudget: (cluster: string, component: Component): string => `${cluster}-${component}-pdb`,
  autoscaler: (cluster: string, component: Component): string => `${cluster}-${component}-hpa`,
  /** The Service that Kafka clients connect to first. */
  bootstrapService: (cluster: string): string => `${cluster}-ingest-bootstrap`,
  /** The Service of one ingest node, for clients outside of the cluster. */
  externalService: (cluster: string, ordinal: number): string => `${cluster}-ingest-${ordinal}`,
  /** The Service that search clients connect to. */
  searchService: (cluster: string): string => `${cluster}-search-api`,
  /** The search Deployment of one color. */
  searchColor: (cluster: string, color: Color): string => `${cluster}-search-${color}`,
  /** The EndpointSlice that gives search pods stable names. */
  searchSlots: (cluster: string, family: "IPv4" | "IPv6"): string =>
    family === "IPv4" ? `${cluster}-search-slots` : `${cluster}-search-slots-v6`,
  /** A pod of a StatefulSet, or a slot of a search pod. */
  member: (cluster: string, component: Component, ordinal: number): string => `${cluster}-${component}-${ordinal}`,
  claim: (cluster: string, component: StatefulComponent, ordinal: number): string =>
    `${dataVolume}-${cluster}-${component}-${ordinal}`,
} as const;

/** The names that DNS names of a cluster consist of. */
export interface ClusterAddress {
  readonly name: string;
  readonly namespace: string;
  readonly clusterDomain: string;
}

/** Returns the DNS name of a Service. */
export function serviceHost({ namespace, clusterDomain }: Omit<ClusterAddress, "name">, service: string): string {
  return `${service}.${namespace}.svc.${clusterDomain}`;
}

/** Returns the DNS name of a member under the governing Service of its component. */
export function memberHost(cluster: ClusterAddress, component: Component, ordinal: number): string {
  const host = serviceHost(cluster, names.component(cluster.name, component));
  return `${names.member(cluster.name, component, ordinal)}.${host}`;
}

/** Returns the address of a member as status and configuration files show it: `<host>:<port>`. */
export function memberAddress(cluster: ClusterAddress, component: Component, ordinal: number): string {
  return `${memberHost(cluster, component, ordinal)}:${mainPorts[component]}`;
}

/** Returns the address that Kafka clients inside of the cluster connect to first. */
export function bootstrapServers(cluster: ClusterAddress): string {
  return `${serviceHost(cluster, names.bootstrapService(cluster.name))}:${ports.kafka}`;
}

/** Returns the ordinal of a pod of a StatefulSet by its name; undefined for any other name. */
export function ordinalOf(cluster: string, component: Component, pod: string): number | undefined {
  return trailingNumber(pod, `${names.component(cluster, component)}-`);
}

/** Returns component and ordinal of a claim by its name; undefined for a name that the operator did not give. */
export function claimOwner(
  cluster: string,
  claim: string,
): { readonly component: StatefulComponent; readonly ordinal: number } | undefined {
  for (const component of statefulComponents) {
    const ordinal = trailingNumber(claim, `${dataVolume}-${names.component(cluster, component)}-`);
    if (ordinal !== undefined) return { component, ordinal };
  }
  return undefined;
}

/** Returns the id of a member in the protocol of the components: ordinals start at 0, ids at 1. */
export function nodeId(ordinal: number): number {
  return ordinal + 1;
}

function trailingNumber(text: string, prefix: string): number | undefined {
  if (!text.startsWith(prefix)) return undefined;
  const digits = text.slice(prefix.length);
  return /^(?:0|[1-9]\d{0,5})$/.test(digits) ? Number(digits) : undefined;
}
