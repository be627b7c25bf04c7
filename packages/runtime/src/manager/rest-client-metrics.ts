import { type MetricDeclaration, type RequestObserver, restClientMetrics, type VerbLabels } from "@homeostat/client";
import { Counter, type CounterSeries } from "../metrics/counter.ts";
import { Histogram, type HistogramSeries } from "../metrics/histogram.ts";
import type { Registry } from "../metrics/registry.ts";
import type { OutageReporter } from "./outage-reporter.ts";

type VerbLabel = "verb" | "host";

/** Receiver of responses and failures of requests. */
export type OutageListener = Pick<OutageReporter, "failed" | "responded">;

/** Value of the label `code` for attempts without a response. */
const noResponse = "<error>";

/** The request metrics of client-go, with the same names, labels and buckets. Create one instance per registry. */
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
  /** Series by label object: the client passes the same object for the same labels, so no lookup by value is needed. */
  readonly #requestSeries = new WeakMap<object, CounterSeries>();

  readonly #outage: OutageListener | undefined;

  constructor(registry: Registry, outage?: OutageListener) {
    this.#outage = outage;
    registry.register(this.#requests);
    registry.register(this.#retries);
    registry.register(this.#duration.metric);
    registry.register(this.#limited.metric);
    registry.register(this.#sent.metric);
    registry.register(this.#received.metric);
  }

  requestsTotal(labels: { readonly code: string; readonly method: string; readonly host: string }): void {
    let series = this.#requestSeries.get(labels);
    if (series === undefined) {
      series = this.#requests.with(labels);
      this.#requestSeries.set(labels, series);
    }
    series.inc();
    if (labels.code !== noResponse) this.#outage?.responded();
  }

  requestFailed(error: unknown): void {
    this.#outage?.failed(error);
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

/** A histogram by verb and host that caches its series by label object. */
class VerbHistogram {
  readonly metric: Histogram<VerbLabel>;
  readonly #series = new WeakMap<VerbLabels, HistogramSeries>();

  constructor(declaration: MetricDeclaration) {
    const { buckets } = declaration;
    this.metric = new Histogram({
      ...named(declaration),
      labels: ["verb", "host"],
      ...(buckets === undefined ? {} : { buckets }),
    });
  }

  of(labels: VerbLabels): HistogramSeries {
    let series = this.#series.get(labels);
    if (series === undefined) {
      const { verb, host } = labels;
      series = this.metric.with({ verb, host });
      this.#series.set(labels, series);
    }
    return series;
  }
}
