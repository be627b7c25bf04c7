/** The declaration of a metric. */
export interface MetricDeclaration {
  readonly name: string;
  readonly type: "counter" | "histogram";
  readonly help: string;
  readonly labels: readonly string[];
  /** The upper bounds of a histogram's buckets. */
  readonly buckets?: readonly number[];
}

const seconds = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
const bytes = [64, 256, 512, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216];
const verbAndHost = ["verb", "host"];

/** The metrics of a `RequestObserver`, with the names, labels and buckets of client-go, so that existing dashboards work. */
export const restClientMetrics: Readonly<
  Record<
    | "requestsTotal"
    | "requestDurationSeconds"
    | "requestRetriesTotal"
    | "rateLimiterDurationSeconds"
    | "requestSizeBytes"
    | "responseSizeBytes",
    MetricDeclaration
  >
> = {
  requestsTotal: {
    name: "rest_client_requests_total",
    type: "counter",
    help: "HTTP requests by status code, method and host.",
    labels: ["code", "method", "host"],
  },
  requestDurationSeconds: {
    name: "rest_client_request_duration_seconds",
    type: "histogram",
    help: "Request latency in seconds, by verb and host.",
    labels: verbAndHost,
    buckets: seconds,
  },
  requestRetriesTotal: {
    name: "rest_client_request_retries_total",
    type: "counter",
    help: "Request retries, by status code, verb and host.",
    labels: ["code", "verb", "host"],
  },
  rateLimiterDurationSeconds: {
    name: "rest_client_rate_limiter_duration_seconds",
    type: "histogram",
    help: "Time that a request waited for the client-side rate limit in seconds, by verb and host.",
    labels: verbAndHost,
    buckets: seconds,
  },
  requestSizeBytes: {
    name: "rest_client_request_size_bytes",
    type: "histogram",
    help: "Request body size in bytes, by verb and host.",
    labels: verbAndHost,
    buckets: bytes,
  },
  responseSizeBytes: {
    name: "rest_client_response_size_bytes",
    type: "histogram",
    help: "Response body size in bytes, by verb and host.",
    labels: verbAndHost,
    buckets: bytes,
  },
};
