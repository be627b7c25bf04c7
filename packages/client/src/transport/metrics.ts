import type { Clock } from "@homeostat/core";
import { observedBody } from "./observed-body.ts";
import { Pipeline } from "./pipeline.ts";
import { type Body, isStream, type Layer, type Request, type Response } from "./transport.ts";

/** The labels that client-go gives its request metrics: the HTTP method as `verb`, and the server's `host:port`. */
export interface VerbLabels {
  readonly verb: string;
  readonly host: string;
}

/**
 * Told what requests did, one method per metric of client-go, under its name in camel case.
 *
 * Whoever keeps the metrics implements it; `restClientMetrics` says how client-go declares them.
 */
export interface RequestObserver {
  /** `rest_client_requests_total`: an attempt was made. `code` is the status, or `<error>` when there was no answer. */
  requestsTotal(labels: { readonly code: string; readonly method: string; readonly host: string }): void;
  /** An attempt got no response. Called before it is counted. */
  requestFailed?(error: unknown): void;
  /** `rest_client_request_duration_seconds`: from the call to the end of the body, retries included. */
  requestDurationSeconds(labels: VerbLabels, seconds: number): void;
  /** `rest_client_request_retries_total`: a request is sent again because of `code`. */
  requestRetriesTotal(labels: VerbLabels & { readonly code: string }): void;
  /** `rest_client_rate_limiter_duration_seconds`: how long the rate limit held a request back. */
  rateLimiterDurationSeconds(labels: VerbLabels, seconds: number): void;
  /** `rest_client_request_size_bytes`: the body of a request. */
  requestSizeBytes(labels: VerbLabels, bytes: number): void;
  /** `rest_client_response_size_bytes`: the body of an answer. Streams have none. */
  responseSizeBytes(labels: VerbLabels, bytes: number): void;
}

/** What the two layers of metrics need. */
export interface MetricsOptions {
  readonly observer: RequestObserver;
  readonly clock: Clock;
  /** The `host` label: `127.0.0.1:6443`. */
  readonly host: string;
}

/** What is being measured of one request. */
export interface Measure {
  /** There is an answer: it is measured to its end. */
  answered(response: Response): Response;
  /** There will be none. */
  finish(): void;
}

/** Measures whole requests: how long, how large. Streams have neither. Belongs outside the retries. */
export function withMetrics(options: MetricsOptions): Layer {
  return (next) => new Pipeline(next, { measure: measuring(options) });
}

/** Counts every attempt by its status. Belongs inside the retries. */
export function withAttemptMetrics(options: Omit<MetricsOptions, "clock">): Layer {
  return (next) => new Pipeline(next, { attempted: counting(options) });
}

/** The same as {@link withMetrics}, as a stage of a {@link Pipeline}. */
export function measuring(options: MetricsOptions): (request: Request) => Measure | undefined {
  const labels = verbLabels(options.host);
  return (request) => (isStream(request) ? undefined : new RequestMeasure(request, options, labels(request.method)));
}

/** The labels of each method, made once: who keeps the metrics may know them again. */
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

/** The same as {@link withAttemptMetrics}, as a stage of a {@link Pipeline}. */
export function counting({
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

  answered(response: Response): Response {
    return new MeasuredResponse(response, observedBody(response.body, this));
  }

  /** The body was read to its end, or as far as anybody wanted. */
  read(bytes: number): void {
    this.#options.observer.responseSizeBytes(this.#labels, bytes);
    this.finish();
  }

  finish(): void {
    const { observer, clock } = this.#options;
    observer.requestDurationSeconds(this.#labels, (clock.monotonic() - this.#started) / 1000);
  }
}

/** A response with another body. Its headers may not have been read yet, and are not for this. */
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
