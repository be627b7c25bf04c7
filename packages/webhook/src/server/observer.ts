/** Observes a webhook server. None of its functions may throw. */
export interface WebhookObserver {
  /** A request arrived for the webhook with this path. */
  started?(path: string): void;
  /** The response was made. Every `started` is followed by one of these. */
  finished?(path: string, result: { readonly status: number; readonly seconds: number }): void;
  /**
   * Functions of the webhook threw while it worked on one request: the first error, and how many there were. The user
   * learns that there was a failure, and nothing of the error.
   */
  panicked?(path: string, error: unknown, count: number): void;
  /** A note for the log. */
  noted?(path: string, note: string): void;
}

/**
 * The names under which operators in Go count the same things, so that existing dashboards work.
 *
 * `latency` is a histogram of `seconds` and `inFlight` a gauge, both by `webhook`, which is the path; `requests` counts
 * by `webhook` and `code`; the two counters of panics have no label.
 */
export const webhookMetrics = {
  latency: "controller_runtime_webhook_latency_seconds",
  requests: "controller_runtime_webhook_requests_total",
  inFlight: "controller_runtime_webhook_requests_in_flight",
  panics: "controller_runtime_webhook_panics_total",
  conversionPanics: "controller_runtime_conversion_webhook_panics_total",
} as const;
