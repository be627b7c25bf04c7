// Serves the values of `ClusterMetrics` as metrics-server and metrics adapters do, below the API server of the cluster.

import {
  type AuthorizedRequest,
  failure,
  type HandlerResponse,
  type ServerStatus,
  StatusError,
} from "@homeostat/apiserver";
// Internal: the API server serves these groups in place of aggregated API servers.
import { type LocalVersion, type LocalVersions, notFoundStatus } from "@homeostat/apiserver/internal";
import {
  type Clock,
  formatTime,
  isList,
  isRecord,
  type JsonRecord,
  parseFieldSelector,
  parseLabelSelector,
  parseQuantity,
  type Quantity,
} from "@homeostat/core";
import {
  type ClusterMetrics,
  isByContainer,
  metadataOf,
  type MetricObject,
  type MetricsGroup,
} from "./cluster-metrics.ts";

/** Interval over which usage counts as measured. metrics-server reads the kubelets every 15 seconds by default. */
const window = "15s";
const windowSeconds = 15;

/** Dependencies of {@link metricsApi}. */
export interface MetricsApiParts {
  readonly clock: Clock;
  /** Returns the name of the resource of an object, such as `ingresses.networking.k8s.io`; undefined if no kind fits. */
  readonly resourceOf: (object: MetricObject) => string | undefined;
}

/** Builds the API versions of the metrics. They are in discovery from the first value that is set for them. */
export function metricsApi(metrics: ClusterMetrics, { clock, resourceOf }: MetricsApiParts): LocalVersions {
  const versions: readonly LocalVersion[] = [
    apiVersion("metrics.k8s.io", "v1beta1", () => resourceRows, resourceMetrics(metrics, clock)),
    ...["v1beta2", "v1beta1"].map((version) =>
      apiVersion(
        "custom.metrics.k8s.io",
        version,
        () => customRows(metrics, resourceOf),
        customMetrics(metrics, clock),
      ),
    ),
    apiVersion("external.metrics.k8s.io", "v1beta1", () => externalRows(metrics), externalMetrics(metrics, clock)),
  ];
  return {
    list: () => versions.filter(({ group }) => isMetricsGroup(group) && metrics.isServed(group)),
    subscribe: (listener) => metrics.subscribe(listener),
  };
}

function isMetricsGroup(group: string): group is MetricsGroup {
  return group.endsWith("metrics.k8s.io");
}

type Respond = (authorized: AuthorizedRequest) => JsonRecord;

function apiVersion(
  group: MetricsGroup,
  version: string,
  resources: () => readonly JsonRecord[],
  respond: Respond,
): LocalVersion {
  return {
    group,
    version,
    groupPriority: 100,
    versionPriority: version === "v1beta2" ? 200 : 100,
    resources,
    handle: async (authorized) => json({ apiVersion: `${group}/${version}`, ...respond(authorized) }),
  };
}

function json(body: JsonRecord): HandlerResponse {
  return { status: 200, headers: { "Content-Type": "application/json" }, body: `${JSON.stringify(body)}\n` };
}

/** Returns the items that the selectors of a request match. */
function selected(
  { request: { query } }: AuthorizedRequest,
  items: readonly JsonRecord[],
  parameter = "labelSelector",
): readonly JsonRecord[] {
  const labels = parseLabelSelector(query.first(parameter) ?? "");
  const fields = parseFieldSelector(query.first("fieldSelector") ?? "");
  return items.filter((item) => {
    const { name, namespace, labels: own } = metadataOf(item);
    const isField = fields.matches((field) => ({ "metadata.name": name, "metadata.namespace": namespace })[field]);
    return isField && labels.matches(own);
  });
}

function stored({ parts }: AuthorizedRequest, resource: string, namespace = ""): readonly JsonRecord[] {
  return parts.registry.list({ group: "", resource, namespace });
}

// metrics.k8s.io

const resourceRows: readonly JsonRecord[] = [
  { name: "nodes", singularName: "", namespaced: false, kind: "NodeMetrics", verbs: ["get", "list"] },
  { name: "pods", singularName: "", namespaced: true, kind: "PodMetrics", verbs: ["get", "list"] },
];

function resourceMetrics(metrics: ClusterMetrics, clock: Clock): Respond {
  return (authorized) => {
    const { resource, name, namespace, verb, group } = authorized.request.info;
    if (resource !== "pods" && resource !== "nodes") throw new StatusError(notFoundStatus({ group, resource }, name));
    const objects = selected(authorized, stored(authorized, resource, namespace));
    const items = objects.flatMap((object): readonly JsonRecord[] => {
      const made =
        resource === "pods"
          ? podMetrics(metrics, object, clock.now())
          : nodeMetrics(metrics, object, stored(authorized, "pods"), clock.now());
      return made === undefined ? [] : [made];
    });
    const kind = resource === "pods" ? "PodMetrics" : "NodeMetrics";
    if (verb !== "get") return { kind: `${kind}List`, metadata: {}, items };
    const found = items.find((item) => metadataOf(item).name === name);
    const key = namespace === "" ? name : `${namespace}/${name}`;
    if (found === undefined) throw new StatusError(notFoundStatus({ group, resource }, key));
    return { kind, ...found };
  };
}

/** Returns the metrics of a pod; undefined when it is not running or no usage is set for it. */
function podMetrics(metrics: ClusterMetrics, pod: JsonRecord, now: number): JsonRecord | undefined {
  const usage = metrics.usageOf(pod);
  if (usage === undefined || textAt(pod, "status", "phase") !== "Running") return undefined;
  const [first = "", ...others] = containerNames(pod);
  const usages = isByContainer(usage) ? usage.containers : { [first]: usage };
  const resources = new Set(Object.values(usages).flatMap((one) => Object.keys(one)));
  const zero = Object.fromEntries([...resources].map((resource) => [resource, "0"]));
  const containers = [first, ...others].map((name) => ({ name, usage: { ...zero, ...usages[name] } }));
  return { ...sample(pod, now), containers };
}

/** Returns the metrics of a node; undefined when neither its usage nor that of one of its pods is set. */
function nodeMetrics(
  metrics: ClusterMetrics,
  node: JsonRecord,
  pods: readonly JsonRecord[],
  now: number,
): JsonRecord | undefined {
  const { name } = metadataOf(node);
  const own = metrics.nodeUsage(name);
  if (own !== undefined) return { ...sample(node, now), usage: own };
  const sums = new Map<string, Quantity>();
  for (const pod of pods.filter((one) => textAt(one, "spec", "nodeName") === name)) {
    const containers = podMetrics(metrics, pod, now)?.["containers"];
    for (const container of isList(containers) ? containers.filter(isRecord) : []) {
      const usage = container["usage"];
      for (const [resource, value] of Object.entries(isRecord(usage) ? usage : {})) {
        const quantity = parseQuantity(String(value));
        sums.set(resource, sums.get(resource)?.add(quantity) ?? quantity);
      }
    }
  }
  if (sums.size === 0) return undefined;
  const usage = Object.fromEntries([...sums].map(([resource, sum]) => [resource, sum.toString()]));
  return { ...sample(node, now), usage };
}

function sample(object: JsonRecord, now: number): JsonRecord {
  const { name, namespace, labels } = metadataOf(object);
  const timestamp = formatTime(now);
  const hasLabels = Object.keys(labels).length > 0;
  return {
    metadata: {
      name,
      ...(namespace === "" ? {} : { namespace }),
      creationTimestamp: timestamp,
      ...(hasLabels ? { labels } : {}),
    },
    timestamp,
    window,
  };
}

function containerNames(pod: JsonRecord): readonly string[] {
  const spec = pod["spec"];
  const containers = isRecord(spec) ? spec["containers"] : undefined;
  return isList(containers) ? containers.filter(isRecord).map(({ name }) => String(name)) : [];
}

function textAt(object: JsonRecord, part: string, field: string): string {
  const value = object[part];
  const text = isRecord(value) ? value[field] : undefined;
  return typeof text === "string" ? text : "";
}

// custom.metrics.k8s.io

function customRows(metrics: ClusterMetrics, resourceOf: MetricsApiParts["resourceOf"]): readonly JsonRecord[] {
  const row = (name: string, namespaced: boolean): JsonRecord => ({
    name,
    singularName: "",
    namespaced,
    kind: "MetricValueList",
    verbs: ["get"],
  });
  const { pods, objects } = metrics.names;
  const others = objects.flatMap(([metric, object]) => {
    const resource = resourceOf(object);
    return resource === undefined ? [] : [row(`${resource}/${metric}`, object.namespace !== undefined)];
  });
  const rows = [...pods.map((metric) => row(`pods/${metric}`, true)), ...others];
  return [...new Map(rows.map((each) => [each["name"], each])).values()];
}

function customMetrics(metrics: ClusterMetrics, clock: Clock): Respond {
  return (authorized) => {
    const { namespace, parts, version } = authorized.request.info;
    const [qualified = "", name = "", metric = ""] = parts;
    // `/namespaces/NAME/metrics/METRIC` is a metric of the namespace itself.
    if (qualified === "metrics") {
      const object = { apiVersion: "v1", kind: "Namespace", name: namespace };
      return valueList([{ object, value: metrics.objectMetric(name, object) }], { metric: name, version, clock });
    }
    const [resource = "", ...groupParts] = qualified.split(".");
    const group = groupParts.join(".");
    if (resource === "pods" && group === "") {
      const pods = selected(authorized, stored(authorized, "pods", namespace));
      const values = pods
        .filter((pod) => name === "*" || metadataOf(pod).name === name)
        .map((pod) => ({
          object: { apiVersion: "v1", kind: "Pod", namespace, name: metadataOf(pod).name },
          value: metrics.podMetric(metric, pod),
        }));
      return valueList(values, { metric, version, clock });
    }
    const kind = authorized.parts.kinds.groups
      .find((known) => known.name === group)
      ?.versions.flatMap(({ version: v, resources }) => resources.map((row) => ({ version: v, row })))
      .find(({ row }) => row.plural === resource);
    if (kind === undefined) throw new StatusError(metricNotFound(metric, qualified, name));
    const object = {
      apiVersion: group === "" ? kind.version : `${group}/${kind.version}`,
      kind: kind.row.kind,
      namespace: namespace === "" ? undefined : namespace,
      name,
    };
    const value = metrics.objectMetric(metric, object);
    if (value === undefined) throw new StatusError(metricNotFound(metric, qualified, name));
    return valueList([{ object, value }], { metric, version, clock });
  };
}

interface CustomValue {
  readonly object: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace?: string | undefined;
    readonly name: string;
  };
  readonly value: string | undefined;
}

function valueList(
  values: readonly CustomValue[],
  { metric, version, clock }: { readonly metric: string; readonly version: string; readonly clock: Clock },
): JsonRecord {
  const timestamp = formatTime(clock.now());
  const items = values.flatMap(({ object: { kind, namespace, name, apiVersion: of }, value }) =>
    value === undefined
      ? []
      : [
          {
            describedObject: { kind, ...(namespace === undefined ? {} : { namespace }), name, apiVersion: of },
            ...(version === "v1beta1" ? { metricName: metric } : { metric: { name: metric } }),
            timestamp,
            windowSeconds,
            value,
          },
        ],
  );
  return { kind: "MetricValueList", metadata: {}, items };
}

/** Status of an unknown custom metric, with the message of the library that adapters are built with. */
function metricNotFound(metric: string, resource: string, name: string): ServerStatus {
  return failure({
    code: 404,
    reason: "NotFound",
    message: `the server could not find the metric ${metric} for ${resource} ${name}`,
  });
}

// external.metrics.k8s.io

function externalRows(metrics: ClusterMetrics): readonly JsonRecord[] {
  return metrics.names.external.map((name) => ({
    name,
    singularName: "",
    namespaced: true,
    kind: "ExternalMetricValueList",
    verbs: ["get"],
  }));
}

function externalMetrics(metrics: ClusterMetrics, clock: Clock): Respond {
  return ({ request: { info, query } }) => {
    const selector = parseLabelSelector(query.first("labelSelector") ?? "");
    const items = metrics
      .externalMetric(info.resource, info.namespace)
      .filter(({ series }) => selector.matches(series.labels))
      .map(({ series: { labels = {} }, value }) => ({
        metricName: info.resource,
        metricLabels: labels,
        timestamp: formatTime(clock.now()),
        value,
      }));
    return { kind: "ExternalMetricValueList", metadata: {}, items };
  };
}
