import { type MetricDeclaration, type RequestObserver, restClientMetrics, type VerbLabels } from "@homeostat/client";
import { Counter } from "../metrics/counter.ts";
import { Histogram } from "../metrics/histogram.ts";
import type { Registry } from "../metrics/registry.ts";

type VerbLabel = "verb" | "host";

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
  readonly #duration = histogram(restClientMetrics.requestDurationSeconds);
  readonly #limited = histogram(restClientMetrics.rateLimiterDurationSeconds);
  readonly #sent = histogram(restClientMetrics.requestSizeBytes);
  readonly #received = histogram(restClientMetrics.responseSizeBytes);

  constructor(registry: Registry) {
    registry.register(this.#requests);
    registry.register(this.#retries);
    registry.register(this.#duration);
    registry.register(this.#limited);
    registry.register(this.#sent);
    registry.register(this.#received);
  }

  requestsTotal(labels: { readonly code: string; readonly method: string; readonly host: string }): void {
    this.#requests.inc(labels);
  }

  requestRetriesTotal(labels: VerbLabels & { readonly code: string }): void {
    this.#retries.inc({ ...labels });
  }

  requestDurationSeconds(labels: VerbLabels, seconds: number): void {
    this.#duration.observe({ ...labels }, seconds);
  }

  rateLimiterDurationSeconds(labels: VerbLabels, seconds: number): void {
    this.#limited.observe({ ...labels }, seconds);
  }

  requestSizeBytes(labels: VerbLabels, bytes: number): void {
    this.#sent.observe({ ...labels }, bytes);
  }

  responseSizeBytes(labels: VerbLabels, bytes: number): void {
    this.#received.observe({ ...labels }, bytes);
  }
}

function named({ name, help }: MetricDeclaration): { readonly name: string; readonly help: string } {
  return { name, help };
}

function histogram(declaration: MetricDeclaration): Histogram<VerbLabel> {
  const { buckets } = declaration;
  return new Histogram({
    ...named(declaration),
    labels: ["verb", "host"],
    ...(buckets === undefined ? {} : { buckets }),
  });
}
