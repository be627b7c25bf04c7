import type { Clock } from "@homeostat/core";
import { observedBody } from "./observed-body.ts";
import { isStream, type Layer } from "./transport.ts";

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

/** Measures whole requests: how long, how large. Streams have neither. Belongs outside the retries. */
export function withMetrics({ observer, clock, host }: MetricsOptions): Layer {
  return (next) => ({
    async send(request) {
      if (isStream(request)) return next.send(request);
      const labels = { verb: request.method, host };
      const started = clock.monotonic();
      const finish = (): void => observer.requestDurationSeconds(labels, (clock.monotonic() - started) / 1000);
      if (request.body !== undefined) observer.requestSizeBytes(labels, Buffer.byteLength(request.body));
      let response;
      try {
        response = await next.send(request);
      } catch (error) {
        finish();
        throw error;
      }
      const body = observedBody(response.body, (bytes) => {
        observer.responseSizeBytes(labels, bytes);
        finish();
      });
      return { ...response, body };
    },
  });
}

/** Counts every attempt by its status. Belongs inside the retries. */
export function withAttemptMetrics({ observer, host }: Omit<MetricsOptions, "clock">): Layer {
  return (next) => ({
    async send(request) {
      const { method } = request;
      try {
        const response = await next.send(request);
        observer.requestsTotal({ code: String(response.status), method, host });
        return response;
      } catch (error) {
        observer.requestsTotal({ code: "<error>", method, host });
        throw error;
      }
    },
  });
}
