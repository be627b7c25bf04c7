import { type Clock, isRecord, readRetryAfter } from "@homeostat/core";
import { Counter, type Logger, type Registry, type Service } from "@homeostat/runtime";
import type { FinishedSpan } from "./finished-span.ts";

/** A response of the collector. */
export interface CollectorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
}

/** Limits of a {@link SpanExporter}. */
export interface ExportLimits {
  /** Maximum number of spans that wait to be sent. Later ones are dropped. */
  readonly queueMax: number;
  /** Maximum number of spans per request. */
  readonly batchMax: number;
  /** Maximum time that a span waits for others before it is sent. */
  readonly delayMs: number;
  /** Time limit of a request. */
  readonly timeoutMs: number;
}

/** Options of {@link SpanExporter}. */
export interface SpanExporterOptions extends ExportLimits {
  readonly clock: Clock;
  /** Sends spans to the collector. Rejects if there is no response. */
  readonly send: (spans: readonly FinishedSpan[], signal: AbortSignal) => Promise<CollectorResponse>;
}

/** Result of one attempt to send a batch. */
type Attempt =
  | { readonly type: "sent"; readonly rejected: number }
  | { readonly type: "retry"; readonly problem: string; readonly afterMs: number | undefined }
  | { readonly type: "refused"; readonly problem: string };

/** Attempts to send a batch before it is dropped. */
const attemptsMax = 5;
const backoffBaseMs = 1_000;
const backoffMaxMs = 30_000;
/** Time for sending the remaining spans when the program stops. */
const stopGraceMs = 3_000;
/** Minimum time between two log lines about failed exports. */
const logPeriodMs = 60_000;

/** Statuses after which the specification of OTLP asks to send the same spans again. */
const retriedStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/**
 * Sends ended spans to a collector in batches.
 *
 * `add` never waits and never throws: a reconcile does not depend on the collector. Memory is limited by the length of the queue. When the
 * collector cannot be reached for too long, spans are dropped and counted.
 */
export class SpanExporter {
  readonly #options: SpanExporterOptions;
  readonly #queue: FinishedSpan[] = [];
  readonly #exported = new Counter({
    name: "homeostat_trace_spans_exported_total",
    help: "Total number of spans that the trace collector accepted.",
  });
  readonly #dropped = new Counter({
    name: "homeostat_trace_spans_dropped_total",
    help: "Total number of spans that were not exported, by reason.",
    labels: ["reason"],
  });
  #batchReady = new AbortController();
  #loggedAt = -Infinity;

  constructor(options: SpanExporterOptions) {
    this.#options = options;
    for (const reason of ["queue-full", "failed", "rejected", "stopped"]) this.#dropped.with({ reason });
  }

  /** Adds an ended span to the queue. */
  add(span: FinishedSpan): void {
    const { queueMax, batchMax } = this.#options;
    if (this.#queue.length >= queueMax) {
      this.#dropped.inc({ reason: "queue-full" });
      return;
    }
    this.#queue.push(span);
    if (this.#queue.length >= batchMax) this.#batchReady.abort();
  }

  /** Returns the service that sends the spans. It runs in every process, and sends the remaining spans when the program stops. */
  service({ registry, log }: { readonly registry: Registry; readonly log: Logger }): Service {
    registry.register(this.#exported);
    registry.register(this.#dropped);
    return { name: "traces", when: "always", run: (signal) => this.#run(signal, log) };
  }

  async #run(signal: AbortSignal, log: Logger): Promise<void> {
    const { clock, delayMs, batchMax } = this.#options;
    while (!signal.aborted) {
      if (this.#queue.length < batchMax) await sleep(clock, delayMs, [signal, this.#batchReady.signal]);
      this.#batchReady = new AbortController();
      while (this.#queue.length > 0 && !signal.aborted) await this.#sendBatch(signal, log, attemptsMax);
    }
    using grace = clock.timeout(stopGraceMs);
    while (this.#queue.length > 0 && !grace.signal.aborted) await this.#sendBatch(grace.signal, log, 1);
    this.#dropped.inc({ reason: "stopped" }, this.#queue.length);
    this.#queue.length = 0;
  }

  /** Sends the first spans of the queue, and removes them unless the signal aborts. */
  async #sendBatch(signal: AbortSignal, log: Logger, attempts: number): Promise<void> {
    const { clock, batchMax } = this.#options;
    const batch = this.#queue.slice(0, batchMax);
    for (let attempt = 1; ; attempt += 1) {
      const result = await this.#send(batch, signal);
      // The spans stay in the queue for the last attempt after the signal.
      if (signal.aborted && result.type !== "sent") return;
      if (result.type === "retry" && attempt < attempts) {
        const backoffMs = Math.min(backoffMaxMs, backoffBaseMs * 2 ** (attempt - 1));
        await sleep(clock, Math.max(backoffMs, Math.min(result.afterMs ?? 0, backoffMaxMs)), [signal]);
        if (signal.aborted) return;
        continue;
      }
      this.#queue.splice(0, batch.length);
      if (result.type === "sent") {
        this.#exported.inc(batch.length - result.rejected);
        this.#dropped.inc({ reason: "rejected" }, result.rejected);
      } else {
        this.#dropped.inc({ reason: "failed" }, batch.length);
        this.#logFailure(log, result.problem, batch.length);
      }
      return;
    }
  }

  async #send(batch: readonly FinishedSpan[], signal: AbortSignal): Promise<Attempt> {
    const { clock, timeoutMs, send } = this.#options;
    using timeout = clock.timeout(timeoutMs);
    try {
      const { status, headers, body } = await send(batch, AbortSignal.any([signal, timeout.signal]));
      if (status >= 200 && status < 300) return { type: "sent", rejected: rejectedSpans(body, batch.length) };
      const problem = `the collector responded with status ${status}`;
      if (!retriedStatuses.has(status)) return { type: "refused", problem };
      return { type: "retry", problem, afterMs: readRetryAfter(headers, clock.now()) };
    } catch (error) {
      return { type: "retry", problem: error instanceof Error ? error.message : String(error), afterMs: undefined };
    }
  }

  #logFailure(log: Logger, problem: string, spans: number): void {
    const now = this.#options.clock.monotonic();
    if (now - this.#loggedAt < logPeriodMs) return;
    this.#loggedAt = now;
    log.warn("Failed to export traces", { problem, spans });
  }
}

/** Returns the number of spans that a collector rejected although its response is a success. */
function rejectedSpans(body: Uint8Array, spansMax: number): number {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString() || "{}");
    const partial = isRecord(value) ? value["partialSuccess"] : undefined;
    const rejected = isRecord(partial) ? Number(partial["rejectedSpans"] ?? 0) : 0;
    return rejected >= 0 ? Math.min(rejected, spansMax) : 0;
  } catch {
    // Some collectors respond with text or protobuf. The status counts.
    return 0;
  }
}

/** Waits until the time is over or one of the signals aborts. Never rejects. */
async function sleep(clock: Clock, ms: number, signals: readonly AbortSignal[]): Promise<void> {
  const signal = AbortSignal.any([...signals]);
  if (signal.aborted) return;
  await clock.sleep(ms, signal).catch(() => undefined);
}
