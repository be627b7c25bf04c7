import type { Clock } from "@homeostat/core";
import { onAbort } from "../admission/webhooks/on-abort.ts";
import type { AuthorizedRequest } from "../handlers/context.ts";
import { type HandlerResponse, headerOf, type ServerRequest } from "../http/handler.ts";
import type { Kinds } from "../registry/kinds.ts";
import { isLongRunning } from "../request/request-info.ts";
import { StatusError } from "../status/status.ts";
import { Histogram, type MetricFamily, type MetricSample } from "./exposition.ts";

const durationBounds = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
const sliBounds = durationBounds.slice(2);
const sizeBounds = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

const verbs: ReadonlyMap<string, string> = new Map([
  ["get", "GET"],
  ["list", "LIST"],
  ["watch", "WATCH"],
  ["create", "POST"],
  ["update", "PUT"],
  ["patch", "PATCH"],
  ["delete", "DELETE"],
  ["deletecollection", "DELETECOLLECTION"],
]);
const connectSubresources = new Set(["proxy", "exec", "attach", "portforward"]);
/**
 * Paths other than those of resources that are counted, with the `component` and `subresource` labels of
 * kube-apiserver.
 */
const countedPaths: ReadonlyMap<string, readonly [component: string, subresource: string]> = new Map([
  ["/healthz", ["", "/healthz"]],
  ["/livez", ["", "/livez"]],
  ["/readyz", ["", "/readyz"]],
  ["/openapi/v2", ["", "openapi/v2"]],
  ["/openapi/v3", ["", "openapi/v3"]],
  ["/api", ["apiserver", "api"]],
  ["/apis", ["apiserver", "apis"]],
]);

type Labels = MetricSample["labels"];

/** Counters and histograms of requests with the same labels. */
interface Series {
  readonly labels: Labels;
  readonly dryRun: string;
  readonly codes: Map<number, number>;
  readonly durations: Histogram;
  readonly sli: Histogram;
  readonly sizes: Histogram;
  running: number;
}

/** Options of {@link RequestMetrics}. */
export interface RequestMetricsOptions {
  readonly kinds: Kinds;
  readonly clock: Pick<Clock, "monotonic">;
  /**
   * Maximum number of series. Beyond it, requests with new labels are not counted: custom resources are added and
   * removed, and each leaves series behind. Default 10,000.
   */
  readonly seriesMax?: number;
}

/**
 * Counts requests with the labels of kube-apiserver. Requests for resources that do not exist are not counted, because
 * clients could create any number of label values with them.
 */
export class RequestMetrics {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #series = new Map<string, Series>();
  readonly #kinds: Kinds;
  readonly #inFlight = { mutating: 0, readOnly: 0 };
  /** `group/version/resource/subresource` of everything that is served; undefined after a change of the kinds. */
  #servedResources: ReadonlySet<string> | undefined;

  readonly #seriesMax: number;

  constructor({ kinds, clock, seriesMax = 10_000 }: RequestMetricsOptions) {
    this.#kinds = kinds;
    this.#clock = clock;
    this.#seriesMax = seriesMax;
    kinds.subscribe(() => (this.#servedResources = undefined));
  }

  /** Calls `route` for a request and records the result. A streamed response is recorded when the stream ends. */
  async observe(
    admitted: AuthorizedRequest,
    route: (admitted: AuthorizedRequest) => Promise<HandlerResponse>,
  ): Promise<HandlerResponse> {
    const { request, signal } = admitted;
    const series = this.#seriesOf(request);
    const startMs = this.#clock.monotonic();
    const isLong = isLongRunning(request.info);
    const kind = request.method === "GET" || request.method === "HEAD" ? "readOnly" : "mutating";
    if (!isLong) this.#inFlight[kind] += 1;
    if (isLong && series !== undefined) series.running += 1;
    let isOver = false;
    const finish = (status: number, bytes?: number): void => {
      if (isOver) return;
      isOver = true;
      if (!isLong) this.#inFlight[kind] -= 1;
      if (series === undefined) return;
      if (isLong) series.running -= 1;
      record(series, { status, seconds: (this.#clock.monotonic() - startMs) / 1000, bytes });
    };
    try {
      const response = await route(admitted);
      if ("body" in response) {
        finish(response.status, Buffer.byteLength(response.body));
        return response;
      }
      onAbort(signal, () => finish(response.status));
      return { ...response, stream: withEndCallback(response.stream, () => finish(response.status)) };
    } catch (error) {
      finish(error instanceof StatusError ? (error.status.code ?? 500) : 500);
      throw error;
    }
  }

  /** Returns the metric families. */
  families(): MetricFamily[] {
    const all = [...this.#series.values()];
    const histogram = (name: string, help: string, samples: MetricSample[]): MetricFamily => ({
      name,
      type: "histogram",
      help,
      samples,
    });
    return [
      {
        name: "apiserver_request_total",
        type: "counter",
        help: "[STABLE] Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.",
        samples: all.flatMap((each) =>
          [...each.codes].map(([code, value]) => ({ labels: withCode(each, String(code)), value })),
        ),
      },
      histogram(
        "apiserver_request_duration_seconds",
        "[STABLE] Response latency distribution in seconds for each verb, dry run value, group, version, resource, subresource, scope and component.",
        all.flatMap((each) => each.durations.samples(withDryRun(each))),
      ),
      histogram(
        "apiserver_request_sli_duration_seconds",
        "[ALPHA] Response latency distribution (not counting webhook duration and priority & fairness queue wait times) in seconds for each verb, group, version, resource, subresource, scope and component.",
        all.flatMap((each) => (each.dryRun === "" ? each.sli.samples(each.labels) : [])),
      ),
      histogram(
        "apiserver_response_sizes",
        "[STABLE] Response size distribution in bytes for each group, version, verb, resource, subresource, scope and component.",
        all.flatMap((each) => (each.dryRun === "" ? each.sizes.samples(each.labels) : [])),
      ),
      {
        name: "apiserver_longrunning_requests",
        type: "gauge",
        help: "[STABLE] Gauge of all active long-running apiserver requests broken out by verb, group, version, resource, scope and component. Not all requests are tracked this way.",
        samples: all.filter(({ running }) => running > 0).map(({ labels, running: value }) => ({ labels, value })),
      },
      {
        name: "apiserver_current_inflight_requests",
        type: "gauge",
        help: "[STABLE] Maximal number of currently used inflight request limit of this apiserver per request kind in last second.",
        samples: (["mutating", "readOnly"] as const).map((kind) => ({
          labels: [["request_kind", kind]],
          value: this.#inFlight[kind],
        })),
      },
    ];
  }

  #seriesOf(request: ServerRequest): Series | undefined {
    const found = this.#labelsOf(request);
    if (found === undefined) return undefined;
    const { labels, dryRun } = found;
    const key = `${dryRun}\n${labels.map(([, value]) => value).join("\n")}`;
    const existing = this.#series.get(key);
    if (existing !== undefined || this.#series.size >= this.#seriesMax) return existing;
    const created: Series = {
      labels,
      dryRun,
      codes: new Map(),
      durations: new Histogram(durationBounds),
      sli: new Histogram(sliBounds),
      sizes: new Histogram(sizeBounds),
      running: 0,
    };
    this.#series.set(key, created);
    return created;
  }

  #labelsOf(request: ServerRequest): { readonly labels: Labels; readonly dryRun: string } | undefined {
    const { info, query } = request;
    if (!info.isResource) {
      const path = countedPaths.get(info.path);
      if (path === undefined) return undefined;
      const [component, subresource] = path;
      return { labels: labelsOf({ component, subresource, verb: request.method }), dryRun: "" };
    }
    const { group, version, resource, subresource } = info;
    if (!this.#isServed(`${group}/${version}/${resource}/${subresource}`)) return undefined;
    const verb = verbOf(request);
    if (verb === undefined) return undefined;
    const dryRun = query.first("dryRun") ?? "";
    return {
      labels: labelsOf({
        component: "apiserver",
        group,
        resource,
        scope: scopeOf(request),
        subresource,
        verb,
        version,
      }),
      dryRun: dryRun === "" || dryRun === "All" ? dryRun : "invalid",
    };
  }

  #isServed(name: string): boolean {
    this.#servedResources ??= new Set(
      this.#kinds.groups.flatMap((group) =>
        group.versions.flatMap(({ version, resources }) =>
          resources.flatMap(({ plural, subresources }) =>
            ["", ...subresources.map((part) => part.name)].map((part) => `${group.name}/${version}/${plural}/${part}`),
          ),
        ),
      ),
    );
    return this.#servedResources.has(name);
  }
}

function verbOf({ info, headers }: ServerRequest): string | undefined {
  if (connectSubresources.has(info.subresource)) return "CONNECT";
  if (info.verb === "patch" && headerOf(headers, "content-type")?.startsWith("application/apply-patch") === true)
    return "APPLY";
  return verbs.get(info.verb);
}

function scopeOf({ info }: Pick<ServerRequest, "info">): string {
  if (info.name !== "" || info.verb === "create") return "resource";
  return info.namespace === "" ? "cluster" : "namespace";
}

function labelsOf(values: Readonly<Record<string, string>>): Labels {
  const names = ["component", "group", "resource", "scope", "subresource", "verb", "version"];
  return names.map((name) => [name, values[name] ?? ""] as const);
}

function withDryRun({ labels, dryRun }: Series): Labels {
  const [component, ...rest] = labels;
  return [...(component === undefined ? [] : [component]), ["dry_run", dryRun], ...rest];
}

function withCode(series: Series, code: string): Labels {
  return [["code", code], ...withDryRun(series)];
}

function record(
  { codes, durations, sli, sizes }: Series,
  { status, seconds, bytes }: { readonly status: number; readonly seconds: number; readonly bytes: number | undefined },
): void {
  codes.set(status, (codes.get(status) ?? 0) + 1);
  durations.observe(seconds);
  sli.observe(seconds);
  if (bytes !== undefined) sizes.observe(bytes);
}

/** Returns a stream that calls `onEnd` when it ends, fails or is closed. */
function withEndCallback<T>(stream: AsyncIterable<T>, onEnd: () => void): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = stream[Symbol.asyncIterator]();
      return {
        next: () => {
          const next = iterator.next();
          next.then(({ done }) => done === true && onEnd(), onEnd);
          return next;
        },
        return: async () => {
          onEnd();
          return (await iterator.return?.()) ?? { done: true, value: undefined };
        },
      };
    },
  };
}
