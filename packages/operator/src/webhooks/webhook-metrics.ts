import type { Clock } from "@homeostat/core";
import { Counter, Gauge, Histogram, type Logger, type Registry } from "@homeostat/runtime";
import { type WebhookObserver, webhookMetrics } from "@homeostat/webhook";
import { LogLimiter } from "./log-limiter.ts";

/** Metrics of a webhook service: the observer to give to its server, and the expiry of its certificate. */
export interface WebhookMeter {
  readonly observer: WebhookObserver;
  /** Sets the function that returns the expiry of the certificate in use, in milliseconds since the epoch. */
  expiresAt(read: () => number | undefined): void;
}

/** Records webhook requests under the metric names of controller-runtime, and logs failures. Create one per registry. */
export function webhookObserver(
  registry: Registry,
  {
    log,
    clock,
    paths,
    conversionPath,
  }: {
    readonly log: Logger;
    readonly clock: Clock;
    readonly paths: readonly string[];
    readonly conversionPath: string;
  },
): WebhookMeter {
  // Limited because any client that reaches the port can cause these lines.
  const limiter = new LogLimiter({ clock });
  const latency = registry.register(
    new Histogram({
      name: webhookMetrics.latency,
      help: "Duration of webhook requests in seconds, by path.",
      labels: ["webhook"],
    }),
  );
  const requests = registry.register(
    new Counter({
      name: webhookMetrics.requests,
      help: "Webhook requests, by path and HTTP status code.",
      labels: ["webhook", "code"],
    }),
  );
  const inFlight = registry.register(
    new Gauge({ name: webhookMetrics.inFlight, help: "Webhook requests being served, by path.", labels: ["webhook"] }),
  );
  const panics = registry.register(
    new Counter({ name: webhookMetrics.panics, help: "Webhook requests in which the handler threw an error." }),
  );
  const conversionPanics = registry.register(
    new Counter({
      name: webhookMetrics.conversionPanics,
      help: "Conversion requests in which the conversion threw an error.",
    }),
  );
  const expiry = registry.register(
    new Gauge({
      name: "homeostat_webhook_certificate_expiry_seconds",
      help: "Expiry of the webhook certificate in seconds since the epoch, 0 while there is no certificate.",
    }),
  );
  // Create every series at zero: a query cannot tell a missing series from one that did not change.
  for (const webhook of paths) {
    latency.with({ webhook });
    inFlight.with({ webhook });
    for (const code of ["200", "500"]) requests.with({ webhook, code });
  }
  return {
    observer: {
      started: (webhook) => inFlight.with({ webhook }).inc(),
      finished: (webhook, { status, seconds }) => {
        inFlight.with({ webhook }).dec();
        latency.with({ webhook }).observe(seconds);
        requests.with({ webhook, code: String(status) }).inc();
        if (status < 400 || status === 500) return;
        limiter.run(`rejected ${webhook}`, (suppressed) =>
          log.warn("Rejected webhook request", { webhook, status, ...suppressed }),
        );
      },
      panicked: (webhook, error, count) => {
        (webhook === conversionPath ? conversionPanics : panics).inc();
        limiter.run(`failed ${webhook}`, (suppressed) =>
          log.error("Webhook failed", { webhook, error, ...(count > 1 && { failures: count }), ...suppressed }),
        );
      },
      noted: (webhook, note) =>
        limiter.run(`noted ${webhook}`, (suppressed) => log.info("Webhook note", { webhook, note, ...suppressed })),
    },
    expiresAt: (read) => void expiry.read((set) => set((read() ?? 0) / 1000)),
  };
}
