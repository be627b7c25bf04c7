import { type MetricDeclaration, type RequestObserver, restClientMetrics, type VerbLabels } from "@homeostat/client";
import { Counter, type CounterSeries } from "../metrics/counter.ts";
import { Histogram, type HistogramSeries } from "../metrics/histogram.ts";
import type { Registry } from "../metrics/registry.ts";

type VerbLabel = "verb" | "host";

/** Series are looked up once, as every request counts in five of them; more than so many are not remembered. */
const seriesMax = 100;

/** The metrics of requests that client-go exposes, with its names, labels and buckets. Make one for each registry. */
export class RestClientMetrics implements RequestObserver {
  readonly #requests = new Counter<"code" | "method" | "host">({
    ...named(restClientMetrics.requestsTotal),
    labels: ["code", "method", "host"],
  });
  readonly #retries = new Counter<"code" | VerbLabel>({
    ...named(restClientMetrics.requestRetriesTotal),
    labels: ["code", "verb", "host"],
  });
  readonly #duration = new VerbHistogram(restClientMetrics.requestDurationSeconds);
  readonly #limited = new VerbHistogram(restClientMetrics.rateLimiterDurationSeconds);
  readonly #sent = new VerbHistogram(restClientMetrics.requestSizeBytes);
  readonly #received = new VerbHistogram(restClientMetrics.responseSizeBytes);
  readonly #requestSeries = new Map<string, CounterSeries>();

  constructor(registry: Registry) {
    registry.register(this.#requests);
    registry.register(this.#retries);
    registry.register(this.#duration.metric);
    registry.register(this.#limited.metric);
    registry.register(this.#sent.metric);
    registry.register(this.#received.metric);
  }

  requestsTotal(labels: { readonly code: string; readonly method: string; readonly host: string }): void {
    const key = `${labels.code} ${labels.method} ${labels.host}`;
    let series = this.#requestSeries.get(key);
    if (series === undefined) {
      series = this.#requests.with(labels);
      if (this.#requestSeries.size < seriesMax) this.#requestSeries.set(key, series);
    }
    series.inc();
  }

  requestRetriesTotal(labels: VerbLabels & { readonly code: string }): void {
    this.#retries.inc({ ...labels });
  }

  requestDurationSeconds(labels: VerbLabels, seconds: number): void {
    this.#duration.of(labels).observe(seconds);
  }

  rateLimiterDurationSeconds(labels: VerbLabels, seconds: number): void {
    this.#limited.of(labels).observe(seconds);
  }

  requestSizeBytes(labels: VerbLabels, bytes: number): void {
    this.#sent.of(labels).observe(bytes);
  }

  responseSizeBytes(labels: VerbLabels, bytes: number): void {
    this.#received.of(labels).observe(bytes);
  }
}

function named({ name, help }: MetricDeclaration): { readonly name: string; readonly help: string } {
  return { name, help };
}

/** A histogram by verb and host that remembers its series. */
class VerbHistogram {
  readonly metric: Histogram<VerbLabel>;
  readonly #series = new Map<string, HistogramSeries>();

  constructor(declaration: MetricDeclaration) {
    const { buckets } = declaration;
    this.metric = new Histogram({
      ...named(declaration),
      labels: ["verb", "host"],
      ...(buckets === undefined ? {} : { buckets }),
    });
  }

  of({ verb, host }: VerbLabels): HistogramSeries {
    const key = `${verb} ${host}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      series = this.metric.with({ verb, host });
      if (this.#series.size < seriesMax) this.#series.set(key, series);
    }
    return series;
  }
}
