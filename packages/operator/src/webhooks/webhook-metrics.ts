import type { Clock } from "@homeostat/core";
import { Counter, Gauge, Histogram, type Logger, type Registry } from "@homeostat/runtime";
import { type WebhookObserver, webhookMetrics } from "@homeostat/webhook";
import { LogLimiter } from "./log-limiter.ts";

/** What a webhook service measures, beside what the server tells its observer. */
export interface WebhookMeter {
  readonly observer: WebhookObserver;
  /** Shows when the certificate in use ends, in milliseconds since 1970. */
  expiresAt(read: () => number | undefined): void;
}

/** Counts what webhooks do under controller-runtime's names, and logs what goes wrong. Make one for each registry. */
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
  // Any client that reaches the port can cause these lines.
  const limiter = new LogLimiter({ clock });
  const latency = registry.register(
    new Histogram({
      name: webhookMetrics.latency,
      help: "How long requests to webhooks took, in seconds, by path.",
      labels: ["webhook"],
    }),
  );
  const requests = registry.register(
    new Counter({
      name: webhookMetrics.requests,
      help: "Requests to webhooks, by path and status of the answer.",
      labels: ["webhook", "code"],
    }),
  );
  const inFlight = registry.register(
    new Gauge({ name: webhookMetrics.inFlight, help: "Requests to webhooks under way, by path.", labels: ["webhook"] }),
  );
  const panics = registry.register(
    new Counter({ name: webhookMetrics.panics, help: "Requests in which the function of a webhook threw." }),
  );
  const conversionPanics = registry.register(
    new Counter({ name: webhookMetrics.conversionPanics, help: "Requests in which a conversion threw." }),
  );
  const expiry = registry.register(
    new Gauge({
      name: "homeostat_webhook_certificate_expiry_seconds",
      help: "When the certificate of the webhooks ends, in seconds since 1970; 0 while there is none.",
    }),
  );
  // A series that is not there cannot be told from one that does not move.
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
