import type { Client } from "@homeostat/client";
import {
  ApiError,
  type DeepReadonly,
  formatGroupResource,
  HomeostatError,
  isList,
  isRecord,
  type JsonRecord,
  type LabelSelectorObject,
  labelSelectorFrom,
  parseApiVersion,
  parseDuration,
  durationToMs,
  parseTime,
  quantityFromJSON,
  TransientError,
} from "@homeostat/core";
import type { CrossVersionObjectReference } from "@homeostat/kubernetes/autoscaling/v2";
import type { KindCatalogue } from "../common/kind-catalogue.ts";
import type { PodMetric } from "./pod-metrics.ts";

/** Dependencies of {@link MetricsSource}. */
export interface MetricsSourceParts {
  readonly client: Pick<Client, "raw">;
  readonly kinds: Pick<KindCatalogue, "preferred">;
}

/** Interval of a custom metric that names none (`metricServerDefaultMetricWindow`). */
const defaultWindowMs = 60_000;

/** A selector of metrics. Undefined selects all. */
type MetricSelector = DeepReadonly<LabelSelectorObject> | undefined;

/** A custom metric and the namespace of its objects. */
export interface CustomMetric {
  readonly namespace: string;
  readonly metric: string;
  readonly metricSelector: MetricSelector;
}

/** Reads the metrics APIs, which metrics-server and adapters serve. Throws with the messages of kube-controller-manager. */
export class MetricsSource {
  readonly #parts: MetricsSourceParts;

  constructor(parts: MetricsSourceParts) {
    this.#parts = parts;
  }

  /** Returns the usage of a resource by the pods that a selector matches; of one container if `container` is set. */
  async usage(
    {
      namespace,
      selector,
      resource,
      container,
    }: {
      readonly namespace: string;
      readonly selector: string;
      readonly resource: string;
      readonly container: string;
    },
    signal: AbortSignal,
  ): Promise<Map<string, PodMetric>> {
    const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${encodeURIComponent(namespace)}/pods`;
    const items = await this.#items(path, {
      query: { labelSelector: selector },
      api: "resource",
      resource: "pods.metrics.k8s.io",
      signal,
    });
    const found = new Map<string, PodMetric>();
    for (const item of items) {
      const containers = listAt(item, "containers").filter(({ name }) => container === "" || name === container);
      const usages = containers.map(({ usage }) => (isRecord(usage) ? usage[resource] : undefined));
      if (usages.length === 0 || usages.includes(undefined)) continue;
      found.set(nameOf(item["metadata"]), {
        value: usages.reduce((total: bigint, usage) => total + milli(usage), 0n),
        at: parseTime(String(item["timestamp"])),
        windowMs: durationToMs(parseDuration(typeof item["window"] === "string" ? item["window"] : "0s")),
      });
    }
    return found;
  }

  /** Returns a custom metric of the pods that a selector matches. */
  async podMetric(
    { namespace, metric, metricSelector }: CustomMetric,
    selector: string,
    signal: AbortSignal,
  ): Promise<Map<string, PodMetric>> {
    const path = `namespaces/${encodeURIComponent(namespace)}/pods/*/${encodeURIComponent(metric)}`;
    const query = { labelSelector: selector, metricLabelSelector: selectorText(metricSelector) };
    const items = await this.#customItems(path, query, signal);
    return new Map(
      items.map((item) => [
        nameOf(item["describedObject"]),
        {
          value: milli(item["value"]),
          at: parseTime(String(item["timestamp"])),
          windowMs: typeof item["windowSeconds"] === "number" ? item["windowSeconds"] * 1000 : defaultWindowMs,
        },
      ]),
    );
  }

  /** Returns a custom metric of one object, in thousandths. */
  async objectMetric(
    { namespace, metric, metricSelector }: CustomMetric,
    object: DeepReadonly<CrossVersionObjectReference>,
    signal: AbortSignal,
  ): Promise<bigint> {
    const { group } = parseApiVersion(object.apiVersion ?? "v1");
    const root = `namespaces/${encodeURIComponent(namespace)}`;
    const name = encodeURIComponent(metric);
    const path =
      object.kind === "Namespace" && group === ""
        ? `${root}/metrics/${name}`
        : `${root}/${this.#resourceOf(group, object.kind)}/${encodeURIComponent(object.name)}/${name}`;
    const items = await this.#customItems(
      path,
      { metricLabelSelector: selectorText(metricSelector) },
      signal,
      "object",
    );
    const [item] = items;
    if (item === undefined || items.length !== 1) {
      const problem = `the custom metrics API server returned ${items.length} results when we asked for exactly one`;
      throw new TransientError(`unable to fetch metrics from custom metrics API: ${problem}`);
    }
    return milli(item["value"]);
  }

  /** Returns the sum of the series of an external metric, in thousandths. */
  async externalMetric({ namespace, metric, metricSelector }: CustomMetric, signal: AbortSignal): Promise<bigint> {
    const path = `/apis/external.metrics.k8s.io/v1beta1/namespaces/${encodeURIComponent(namespace)}/${encodeURIComponent(metric)}`;
    const items = await this.#items(path, {
      query: { labelSelector: selectorText(metricSelector) },
      api: "external",
      resource: `${metric}.external.metrics.k8s.io`,
      signal,
    });
    return items.reduce((total, item) => total + milli(item["value"]), 0n);
  }

  #resourceOf(group: string, kind: string): string {
    const found = this.#parts.kinds.preferred.find((known) => known.group === group && known.kind === kind);
    if (found !== undefined) return formatGroupResource(found);
    const name = group === "" ? kind : `${kind}.${group}`;
    const problem = `unable to map kind ${name} to resource: no matches for kind "${kind}" in group "${group}"`;
    throw new TransientError(`unable to fetch metrics from custom metrics API: ${problem}`);
  }

  /** Reads custom metrics in the preferred version of the API. */
  async #customItems(
    path: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
    of: "pods" | "object" = "pods",
  ): Promise<readonly JsonRecord[]> {
    const group = "custom.metrics.k8s.io";
    const version = await this.#preferredVersion(group, signal);
    if (version === undefined) {
      const problem = `no custom metrics API (${group}) registered`;
      throw new TransientError(`unable to fetch metrics from custom metrics API: ${problem}`);
    }
    const resource = `${path.split("/")[2]}.${group}`;
    const items = await this.#items(`/apis/${group}/${version}/${path}`, {
      query,
      api: "custom",
      resource,
      signal,
      mayBeEmpty: of === "object",
    });
    return items;
  }

  async #preferredVersion(group: string, signal: AbortSignal): Promise<string | undefined> {
    const found = await this.#get(`/apis/${group}`, signal).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    });
    const preferred = isRecord(found) ? found["preferredVersion"] : undefined;
    return isRecord(preferred) ? String(preferred["version"]) : undefined;
  }

  async #items(
    path: string,
    options: {
      readonly query: Readonly<Record<string, string>>;
      readonly api: "resource" | "custom" | "external";
      /** Resource and group, as client-go names them in the error about an unknown path. */
      readonly resource: string;
      readonly signal: AbortSignal;
      readonly mayBeEmpty?: boolean;
    },
  ): Promise<readonly JsonRecord[]> {
    const { query, api, resource, signal, mayBeEmpty = false } = options;
    const parameters = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "")).toString();
    let body: unknown;
    try {
      body = await this.#get(parameters === "" ? path : `${path}?${parameters}`, signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof HomeostatError)) throw error;
      const text = failureText(error, resource);
      throw new TransientError(`unable to fetch metrics from ${api} metrics API: ${text}`, { cause: error });
    }
    const items = isRecord(body) ? listAt(body, "items") : [];
    if (items.length === 0 && !mayBeEmpty) throw new TransientError(`no metrics returned from ${api} metrics API`);
    return items;
  }

  async #get(path: string, signal: AbortSignal): Promise<unknown> {
    const { body } = await this.#parts.client.raw({
      method: "GET",
      path,
      headers: { accept: "application/json" },
      about: { verb: "get", resource: "metrics" },
      signal,
    });
    const pieces: Uint8Array[] = [];
    for await (const piece of body) pieces.push(piece);
    const value: unknown = JSON.parse(Buffer.concat(pieces).toString("utf8"));
    return value;
  }
}

/** Returns the message of a failed request. Without a `Status` it is that of client-go. */
function failureText(error: HomeostatError, resource: string): string {
  if (!(error instanceof ApiError)) return error.message;
  if (error.hasStatus || error.status !== 404) return error.serverMessage;
  return `the server could not find the requested resource (get ${resource})`;
}

/** Returns the string form of a metric selector. Without one, client-go sends none, which selects everything. */
function selectorText(selector: MetricSelector): string {
  return selector === undefined ? "" : labelSelectorFrom(selector).toString();
}

function milli(value: unknown): bigint {
  return quantityFromJSON(typeof value === "number" ? value : String(value)).milliValue();
}

function listAt(record: JsonRecord, field: string): readonly JsonRecord[] {
  const value = record[field];
  return isList(value) ? value.filter(isRecord) : [];
}

function nameOf(value: unknown): string {
  const name = isRecord(value) ? value["name"] : undefined;
  return typeof name === "string" ? name : "";
}
