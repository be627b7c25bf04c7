import { isRecord, type JsonRecord, parseApiVersion, parseQuantity } from "@homeostat/core";

/** Resource usage as quantities: `{ cpu: "250m", memory: "64Mi" }`. */
export type ResourceUsage = Readonly<Record<string, string>>;

/** The usage of each container of a pod, by name. Containers that are omitted use nothing. */
export interface ContainerUsage {
  readonly containers: Readonly<Record<string, ResourceUsage>>;
}

/** Pods of a namespace: one by its name, those with these labels, or all. */
export interface MetricPods {
  readonly namespace: string;
  readonly name?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** An object that a custom metric describes. */
export interface MetricObject {
  readonly apiVersion: string;
  readonly kind: string;
  /** Undefined for a cluster-scoped object. */
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** The namespace and the labels of an external metric. Values with different labels are different series. */
export interface ExternalSeries {
  readonly namespace: string;
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** APIs that a metrics adapter serves. */
export type MetricsGroup = "metrics.k8s.io" | "custom.metrics.k8s.io" | "external.metrics.k8s.io";

interface Rule<V> {
  readonly pods: MetricPods;
  readonly value: V;
}

interface ObjectValue {
  readonly object: MetricObject;
  readonly value: string;
}

/** A value of an external metric. */
export interface ExternalValue {
  readonly series: ExternalSeries;
  readonly value: string;
}

/**
 * The metrics of a cluster, set by a test. Values are quantities, and undefined removes a value.
 *
 * Each API is served from the first value that is set for it. Before that, the cluster behaves like one without
 * metrics-server and without adapters: `kubectl top` fails and autoscalers report that they found no metrics.
 *
 * @example
 * cluster.metrics.setUsage({ namespace: "shop", labels: { app: "web" } }, { cpu: "400m", memory: "64Mi" });
 */
export class ClusterMetrics {
  readonly #usage: Rule<ResourceUsage | ContainerUsage>[] = [];
  readonly #nodes = new Map<string, ResourceUsage>();
  readonly #podMetrics = new Map<string, Rule<string>[]>();
  readonly #objectMetrics = new Map<string, ObjectValue[]>();
  readonly #external = new Map<string, ExternalValue[]>();
  readonly #served = new Set<MetricsGroup>();
  readonly #listeners = new Set<() => void>();

  /**
   * Sets the resource usage of pods, also of pods that are created later (`metrics.k8s.io`). The last call that
   * matches a pod applies. Usage without `containers` is that of the pod's first container; the others use nothing.
   */
  setUsage(pods: MetricPods, usage: ResourceUsage | ContainerUsage | undefined): void {
    for (const one of usage === undefined ? [] : usagesOf(usage)) checkQuantities(Object.values(one));
    setRule(this.#usage, pods, usage);
    this.#serve("metrics.k8s.io");
  }

  /** Sets the resource usage of a node. Default: the sum of the usage of its pods, if any is set. */
  setNodeUsage(node: string, usage: ResourceUsage | undefined): void {
    checkQuantities(Object.values(usage ?? {}));
    if (usage === undefined) this.#nodes.delete(node);
    else this.#nodes.set(node, usage);
    this.#serve("metrics.k8s.io");
  }

  /** Sets a custom metric of pods, also of pods that are created later (`custom.metrics.k8s.io`). */
  setPodMetric(metric: string, pods: MetricPods, value: string | undefined): void {
    checkQuantities(value === undefined ? [] : [value]);
    setRule(entryOf(this.#podMetrics, metric), pods, value);
    this.#serve("custom.metrics.k8s.io");
  }

  /** Sets a custom metric of one object (`custom.metrics.k8s.io`). */
  setObjectMetric(metric: string, object: MetricObject, value: string | undefined): void {
    checkQuantities(value === undefined ? [] : [value]);
    const values = entryOf(this.#objectMetrics, metric);
    const at = values.findIndex((known) => isSameObject(known.object, object));
    if (at >= 0) values.splice(at, 1);
    if (value !== undefined) values.push({ object, value });
    this.#serve("custom.metrics.k8s.io");
  }

  /** Sets one series of an external metric (`external.metrics.k8s.io`). */
  setExternalMetric(metric: string, series: ExternalSeries, value: string | undefined): void {
    checkQuantities(value === undefined ? [] : [value]);
    const values = entryOf(this.#external, metric);
    const key = JSON.stringify(seriesKey(series));
    const at = values.findIndex((known) => JSON.stringify(seriesKey(known.series)) === key);
    if (at >= 0) values.splice(at, 1);
    if (value !== undefined) values.push({ series, value });
    this.#serve("external.metrics.k8s.io");
  }

  /** @internal Reports whether an API is served. */
  isServed(group: MetricsGroup): boolean {
    return this.#served.has(group);
  }

  /** @internal Calls a function when another API or another metric is served. */
  subscribe(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** @internal Returns the usage of a pod; undefined when none is set. */
  usageOf(pod: JsonRecord): ResourceUsage | ContainerUsage | undefined {
    return this.#usage.findLast(({ pods }) => isMatch(pods, pod))?.value;
  }

  /** @internal Returns the usage that was set for a node. */
  nodeUsage(node: string): ResourceUsage | undefined {
    return this.#nodes.get(node);
  }

  /** @internal Returns the value of a custom metric of a pod. */
  podMetric(metric: string, pod: JsonRecord): string | undefined {
    return this.#podMetrics.get(metric)?.findLast(({ pods }) => isMatch(pods, pod))?.value;
  }

  /** @internal Returns the value of a custom metric of an object. */
  objectMetric(metric: string, object: MetricObject): string | undefined {
    return this.#objectMetrics.get(metric)?.find((known) => isSameObject(known.object, object))?.value;
  }

  /** @internal Returns the series of an external metric in a namespace. */
  externalMetric(metric: string, namespace: string): readonly ExternalValue[] {
    return (this.#external.get(metric) ?? []).filter(({ series }) => series.namespace === namespace);
  }

  /** @internal Names of the custom metrics of pods and of other objects, and of the external metrics. */
  get names(): { readonly pods: string[]; readonly objects: [string, MetricObject][]; readonly external: string[] } {
    const objects = [...this.#objectMetrics].flatMap(([metric, values]) =>
      values.map(({ object }): [string, MetricObject] => [metric, object]),
    );
    return { pods: [...this.#podMetrics.keys()], objects, external: [...this.#external.keys()] };
  }

  #serve(group: MetricsGroup): void {
    this.#served.add(group);
    for (const listener of this.#listeners) listener();
  }
}

/** Returns the usages in a value: one, or one for each container. */
function usagesOf(usage: ResourceUsage | ContainerUsage): readonly ResourceUsage[] {
  return isByContainer(usage) ? Object.values(usage.containers) : [usage];
}

/** Reports whether usage is given for each container. */
export function isByContainer(usage: ResourceUsage | ContainerUsage): usage is ContainerUsage {
  return typeof usage["containers"] === "object";
}

function checkQuantities(values: readonly string[]): void {
  for (const value of values) parseQuantity(value);
}

function entryOf<V>(map: Map<string, V[]>, key: string): V[] {
  const known = map.get(key) ?? [];
  map.set(key, known);
  return known;
}

/** Replaces the rule for the same pods, or appends one. */
function setRule<V>(rules: Rule<V>[], pods: MetricPods, value: V | undefined): void {
  const key = JSON.stringify(podsKey(pods));
  const at = rules.findIndex((rule) => JSON.stringify(podsKey(rule.pods)) === key);
  if (at >= 0) rules.splice(at, 1);
  if (value !== undefined) rules.push({ pods, value });
}

function podsKey({ namespace, name = "", labels = {} }: MetricPods): unknown {
  return [namespace, name, sorted(labels)];
}

function seriesKey({ namespace, labels = {} }: ExternalSeries): unknown {
  return [namespace, sorted(labels)];
}

function sorted(labels: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
}

function isMatch({ namespace, name, labels = {} }: MetricPods, pod: JsonRecord): boolean {
  const metadata = metadataOf(pod);
  if (metadata.namespace !== namespace || (name !== undefined && metadata.name !== name)) return false;
  return Object.entries(labels).every(([key, value]) => metadata.labels[key] === value);
}

/** Returns name, namespace and labels of a stored object. */
export function metadataOf(object: JsonRecord): {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
} {
  const metadata = object["metadata"];
  const fields: JsonRecord = isRecord(metadata) ? metadata : {};
  const labels = isRecord(fields["labels"]) ? fields["labels"] : {};
  const { name = "", namespace = "" } = fields;
  return {
    name: String(name),
    namespace: String(namespace),
    labels: Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, String(value)])),
  };
}

function isSameObject(a: MetricObject, b: MetricObject): boolean {
  return (
    a.kind === b.kind &&
    a.name === b.name &&
    (a.namespace ?? "") === (b.namespace ?? "") &&
    parseApiVersion(a.apiVersion).group === parseApiVersion(b.apiVersion).group
  );
}
