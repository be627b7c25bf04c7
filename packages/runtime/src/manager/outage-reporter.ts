import { type Clock, NetworkError } from "@homeostat/core";
import type { Logger } from "../log/logger.ts";

/** What an {@link OutageReporter} needs. */
export interface OutageReporterOptions {
  readonly log: Logger;
  readonly clock: Clock;
  /** The API server: `127.0.0.1:6443`. */
  readonly server: string;
}

/** How long after the first report the second one comes at the earliest; the interval doubles with each report. */
const reportMsMin = 2_000;
const reportMsMax = 300_000;

/**
 * Reports an API server that cannot be reached, once for all requests and informers: at once, again at growing intervals while
 * it lasts, and when the server responds again.
 *
 * Every informer, the election and the reconcilers notice an outage by themselves and retry by themselves. Without this, each
 * of them would log each of its failures.
 */
export class OutageReporter {
  readonly #options: OutageReporterOptions;
  /** The latest failure: the same error reaches this class from the request and from whoever sent it. */
  #latest: unknown;
  #isClosed = false;
  #outage: { readonly beganAt: number; failures: number; reportAt: number; intervalMs: number } | undefined;

  constructor(options: OutageReporterOptions) {
    this.#options = options;
  }

  /** Takes note of a failed request. Returns whether the failure is part of an outage, and so reported here. */
  failed(error: unknown): boolean {
    if (!isOutage(error)) return false;
    if (error === this.#latest || this.#isClosed) return true;
    this.#latest = error;
    const { log, clock, server } = this.#options;
    const now = clock.monotonic();
    if (this.#outage === undefined) {
      this.#outage = { beganAt: now, failures: 1, reportAt: now + reportMsMin, intervalMs: reportMsMin };
      log.warn("API server unreachable, retrying", { server, reason: reasonOf(error) });
      return true;
    }
    const outage = this.#outage;
    outage.failures += 1;
    if (now < outage.reportAt) return true;
    outage.intervalMs = Math.min(reportMsMax, outage.intervalMs * 2);
    outage.reportAt = now + outage.intervalMs;
    const { failures, beganAt, intervalMs } = outage;
    log.warn("API server still unreachable", {
      server,
      reason: reasonOf(error),
      failures,
      unreachableMs: now - beganAt,
      nextReportMs: intervalMs,
    });
    return true;
  }

  /** Takes note of a response, whatever its status. */
  responded(): void {
    if (this.#outage === undefined) return;
    const { log, clock, server } = this.#options;
    const { beganAt, failures } = this.#outage;
    this.#outage = undefined;
    this.#latest = undefined;
    log.info("API server reachable again", { server, failures, unreachableMs: clock.monotonic() - beganAt });
  }

  /** Reports nothing any more. The connections are about to be closed, which cuts the requests that are under way. */
  close(): void {
    this.#isClosed = true;
  }
}

/** Reports whether a request failed because of the connection, and another one may succeed. */
function isOutage(error: unknown): error is NetworkError {
  return error instanceof NetworkError && error.retryable;
}

/** The message without the request, which is one of many, and without advice for writes, which is for their senders. */
function reasonOf({ message, request, outcome }: NetworkError): string {
  const place = request === undefined ? "" : `${request.method} ${request.path}: `;
  const reason = message.startsWith(place) ? message.slice(place.length) : message;
  return outcome === "not-applied" ? reason : (reason.split(". ", 1)[0] ?? reason);
}
