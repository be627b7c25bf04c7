// Labels of the objects of a cluster.

import { type Component, fieldManager } from "./identity.ts";

export const labels = {
  name: "app.kubernetes.io/name",
  instance: "app.kubernetes.io/instance",
  component: "app.kubernetes.io/component",
  managedBy: "app.kubernetes.io/managed-by",
  partOf: "app.kubernetes.io/part-of",
  version: "app.kubernetes.io/version",
  /** The cluster of an object. Watches of pods and claims are mapped by it. */
  cluster: "chronik.stream/cluster",
  clusterComponent: "chronik.stream/component",
  /** On search pods and Deployments of blue-green clusters: `blue` or `green`. */
  color: "chronik.stream/color",
  /** On claims that outlive their cluster: the name of the cluster. */
  retainedFrom: "chronik.stream/retained-from",
  /** On namespaces, set by users: pods of the namespace may scrape metrics if network policies are enabled. */
  monitoring: "chronik.stream/monitoring",
} as const;

/** The value of the labels `app.kubernetes.io/name` and `app.kubernetes.io/part-of`. */
export const productName = "chronik-stream";

/** The selector of every watch except the one on ChronikClusters. It keeps caches small. */
export const managedSelector: Readonly<Record<string, string>> = { [labels.managedBy]: fieldManager };

/** Returns the labels by which workloads, Services and budgets select the pods of a component. Selectors are immutable, so they never change. */
export function selectorLabels(cluster: string, component: Component): Record<string, string> {
  return { [labels.name]: productName, [labels.instance]: cluster, [labels.component]: component };
}

/** Returns the label selector of the pods of a component in its text form. */
export function selectorText(cluster: string, component: Component): string {
  return Object.entries(selectorLabels(cluster, component))
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
}

/** Returns the labels of the pods and volume claims of a component. They are part of immutable templates, so they never change. */
export function memberLabels(cluster: string, component: Component): Record<string, string> {
  return {
    ...selectorLabels(cluster, component),
    [labels.managedBy]: fieldManager,
    [labels.partOf]: productName,
    [labels.cluster]: cluster,
    [labels.clusterComponent]: component,
  };
}

/** Returns the labels of an object of a component, or of an object that all components share. */
export function objectLabels(
  cluster: string,
  { component, version }: { readonly component?: Component | undefined; readonly version?: string | undefined },
): Record<string, string> {
  return {
    [labels.name]: productName,
    [labels.instance]: cluster,
    [labels.component]: component ?? "cluster",
    [labels.managedBy]: fieldManager,
    [labels.partOf]: productName,
    [labels.cluster]: cluster,
    [labels.clusterComponent]: component ?? "cluster",
    ...(version !== undefined && { [labels.version]: version }),
  };
}

/** Label keys that users cannot set on pods, because selectors and watches use them. */
export const reservedLabels: readonly string[] = [
  labels.name,
  labels.instance,
  labels.component,
  labels.managedBy,
  labels.partOf,
];

/** Prefixes of label keys that users cannot set on pods. */
export const reservedLabelPrefixes: readonly string[] = [
  "chronik.stream/",
  "apps.kubernetes.io/",
  "statefulset.kubernetes.io/",
];
