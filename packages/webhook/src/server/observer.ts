/** Callbacks for events of a webhook server. None of them may throw. */
export interface WebhookObserver {
  /** Called when a request for the webhook with this path arrives. */
  started?(path: string): void;
  /** Called when the response is ready. Every `started` is followed by one of these. */
  finished?(path: string, result: { readonly status: number; readonly seconds: number }): void;
  /**
   * Called when functions of the webhook threw during one request, with the first error and the number of errors. The
   * user sees that the webhook failed, but not the error.
   */
  panicked?(path: string, error: unknown, count: number): void;
  /** Called with a note for the log. */
  noted?(path: string, note: string): void;
}

/**
 * Metric names of controller-runtime, so that existing dashboards work.
 *
 * `latency` is a histogram in seconds and `inFlight` a gauge, both with the label `webhook`, which is the path;
 * `requests` is a counter with the labels `webhook` and `code`; the two counters of panics have no label.
 */
export const webhookMetrics = {
  latency: "controller_runtime_webhook_latency_seconds",
  requests: "controller_runtime_webhook_requests_total",
  inFlight: "controller_runtime_webhook_requests_in_flight",
  panics: "controller_runtime_webhook_panics_total",
  conversionPanics: "controller_runtime_conversion_webhook_panics_total",
} as const;
