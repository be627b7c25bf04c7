import type { Clock } from "@homeostat/core";
import { observedBody } from "./observed-body.ts";
import { Pipeline } from "./pipeline.ts";
import { type Body, isStream, type Layer, type Request, type Response } from "./transport.ts";

/** The labels of client-go's request metrics: the HTTP method as `verb`, and `host:port` of the server. */
export interface VerbLabels {
  readonly verb: string;
  readonly host: string;
}

/**
 * Receives request metrics: one method per metric of client-go, with its name in camel case.
 *
 * Implemented by a metrics registry; `restClientMetrics` has the declarations of client-go.
 */
export interface RequestObserver {
  /** `rest_client_requests_total`: an attempt was made. `code` is the status, or `<error>` if there was no response. */
  requestsTotal(labels: { readonly code: string; readonly method: string; readonly host: string }): void;
  /** An attempt got no response. Called before it is counted. */
  requestFailed?(error: unknown): void;
  /** `rest_client_request_duration_seconds`: from the call to the end of the body, retries included. */
  requestDurationSeconds(labels: VerbLabels, seconds: number): void;
  /** `rest_client_request_retries_total`: a request is retried because of status `code`. */
  requestRetriesTotal(labels: VerbLabels & { readonly code: string }): void;
  /** `rest_client_rate_limiter_duration_seconds`: how long the rate limit delayed a request. */
  rateLimiterDurationSeconds(labels: VerbLabels, seconds: number): void;
  /** `rest_client_request_size_bytes`: the body of a request. */
  requestSizeBytes(labels: VerbLabels, bytes: number): void;
  /** `rest_client_response_size_bytes`: the body of a response. Not called for streams. */
  responseSizeBytes(labels: VerbLabels, bytes: number): void;
}

/** Options of {@link withMetrics}. */
export interface MetricsOptions {
  readonly observer: RequestObserver;
  readonly clock: Clock;
  /** The `host` label: `127.0.0.1:6443`. */
  readonly host: string;
}

/** The measurement of one request. */
export interface Measure {
  /** Returns the response with a body that is measured until its end. */
  responded(response: Response): Response;
  /** Called if there is no response. */
  finish(): void;
}

/** Returns a layer that measures the duration and size of requests, except for streams. Belongs outside the retries. */
export function withMetrics(options: MetricsOptions): Layer {
  return (next) => new Pipeline(next, { measure: metricsStage(options) });
}

/** Returns a layer that counts every attempt by its status. Belongs inside the retries. */
export function withAttemptMetrics(options: Omit<MetricsOptions, "clock">): Layer {
  return (next) => new Pipeline(next, { attempted: attemptMetricsStage(options) });
}

/** Returns the layer of {@link withMetrics} as a stage of a {@link Pipeline}. */
export function metricsStage(options: MetricsOptions): (request: Request) => Measure | undefined {
  const labels = verbLabels(options.host);
  return (request) => (isStream(request) ? undefined : new RequestMeasure(request, options, labels(request.method)));
}

/** Returns the labels of a method, always the same object, so that a registry can look up the series by identity. */
function verbLabels(host: string): (verb: string) => VerbLabels {
  const known = new Map<string, VerbLabels>();
  return (verb) => {
    let labels = known.get(verb);
    if (labels === undefined) {
      labels = { verb, host };
      known.set(verb, labels);
    }
    return labels;
  };
}

/** Returns the layer of {@link withAttemptMetrics} as a stage of a {@link Pipeline}. */
export function attemptMetricsStage({
  observer,
  host,
}: Omit<MetricsOptions, "clock">): (request: Request, status: number | undefined, error?: unknown) => void {
  const known = new Map<
    string,
    Map<number, { readonly code: string; readonly method: string; readonly host: string }>
  >();
  return ({ method }, status = 0, error) => {
    if (status === 0) observer.requestFailed?.(error);
    let ofMethod = known.get(method);
    if (ofMethod === undefined) {
      ofMethod = new Map();
      known.set(method, ofMethod);
    }
    let labels = ofMethod.get(status);
    if (labels === undefined) {
      labels = { code: status === 0 ? "<error>" : String(status), method, host };
      ofMethod.set(status, labels);
    }
    observer.requestsTotal(labels);
  };
}

class RequestMeasure implements Measure {
  readonly #options: MetricsOptions;
  readonly #labels: VerbLabels;
  readonly #started: number;

  constructor({ body }: Request, options: MetricsOptions, labels: VerbLabels) {
    this.#options = options;
    this.#labels = labels;
    this.#started = options.clock.monotonic();
    if (body !== undefined) options.observer.requestSizeBytes(this.#labels, Buffer.byteLength(body));
  }

  responded(response: Response): Response {
    return new MeasuredResponse(response, observedBody(response.body, this));
  }

  /** Called when the body was read to its end or canceled. */
  read(bytes: number): void {
    this.#options.observer.responseSizeBytes(this.#labels, bytes);
    this.finish();
  }

  finish(): void {
    const { observer, clock } = this.#options;
    observer.requestDurationSeconds(this.#labels, (clock.monotonic() - this.#started) / 1000);
  }
}

/** A response with another body. Copying the properties would parse the headers, which are parsed lazily. */
class MeasuredResponse implements Response {
  readonly status: number;
  readonly mayWarn: boolean;
  readonly body: Body;
  readonly #response: Response;

  constructor(response: Response, body: Body) {
    this.status = response.status;
    this.mayWarn = response.mayWarn ?? true;
    this.body = body;
    this.#response = response;
  }

  get headers(): Response["headers"] {
    return this.#response.headers;
  }
}
