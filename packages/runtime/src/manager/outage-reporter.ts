import { type Clock, NetworkError } from "@homeostat/core";
import type { Logger } from "../log/logger.ts";

/** Options of an {@link OutageReporter}. */
export interface OutageReporterOptions {
  readonly log: Logger;
  readonly clock: Clock;
  /** Host and port of the API server: `127.0.0.1:6443`. */
  readonly server: string;
}

/** Minimum time between the first and the second report; the interval doubles with each report. */
const reportMsMin = 2_000;
const reportMsMax = 300_000;

/**
 * Logs an unreachable API server once for all requests and informers: at once, again at growing intervals while it lasts, and when the
 * server responds again.
 *
 * Every informer, the election and the reconcilers notice an outage independently and retry independently. Without this class, each of them
 * would log each of its failures.
 */
export class OutageReporter {
  readonly #options: OutageReporterOptions;
  /** The latest failure. The same error arrives twice: from the transport, and from the component that sent the request. */
  #latest: unknown;
  #isClosed = false;
  #outage: { readonly beganAt: number; failures: number; reportAt: number; intervalMs: number } | undefined;

  constructor(options: OutageReporterOptions) {
    this.#options = options;
  }

  /** Receives a failed request. Returns true if the failure is part of an outage, which is reported here and nowhere else. */
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

  /** Receives the fact that there was a response, with any status. */
  responded(): void {
    if (this.#outage === undefined) return;
    const { log, clock, server } = this.#options;
    const { beganAt, failures } = this.#outage;
    this.#outage = undefined;
    this.#latest = undefined;
    log.info("API server reachable again", { server, failures, unreachableMs: clock.monotonic() - beganAt });
  }

  /** Ends the reports, because the connections are about to be closed, which aborts requests in flight. */
  close(): void {
    this.#isClosed = true;
  }
}

/** Reports whether a request failed because of the connection, and another one may succeed. */
function isOutage(error: unknown): error is NetworkError {
  return error instanceof NetworkError && error.retryable;
}

/** Returns the message without the request, which is one of many, and without the advice about writes, which concerns their senders only. */
function reasonOf({ message, request, outcome }: NetworkError): string {
  const prefix = request === undefined ? "" : `${request.method} ${request.path}: `;
  const reason = message.startsWith(prefix) ? message.slice(prefix.length) : message;
  return outcome === "not-applied" ? reason : (reason.split(". ", 1)[0] ?? reason);
}
