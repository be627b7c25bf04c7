import { AsyncLocalStorage } from "node:async_hooks";
import { type Clock, cutText, type Random } from "@homeostat/core";
import type { Span, SpanFields, SpanOptions, Tracing } from "@homeostat/runtime";
import type { FinishedSpan, SpanEvent } from "./finished-span.ts";

/** Maximum number of events of a span. Later ones are dropped. */
const eventsMax = 64;

/** Maximum length of the message of an error. */
const messageLengthMax = 1_024;

/** Options of {@link otlpTracing}. */
export interface OtlpTracingOptions {
  readonly clock: Pick<Clock, "now" | "monotonic">;
  readonly random: Random;
  /** Decides by its ID whether a trace is recorded. */
  readonly isSampled: (traceId: string) => boolean;
  /** Receives each span when it ends. Must not throw and must not wait. */
  readonly onEnd: (span: FinishedSpan) => void;
}

/** IDs of the span that the calling code is part of; without a span ID if its trace is not recorded. */
interface Current {
  readonly traceId: string;
  readonly spanId: string | undefined;
}

const unrecorded: Span = { ids: undefined, set() {}, note() {}, failed() {} };

/**
 * Returns tracing that passes ended spans to a function. Spans that start during the work of another span are its children, also across
 * `await`.
 */
export function otlpTracing({ clock, random, isSampled, onEnd }: OtlpTracingOptions): Tracing {
  const storage = new AsyncLocalStorage<Current>();

  return {
    async span<R>(
      name: string,
      fields: SpanFields,
      work: (span: Span) => Promise<R>,
      { kind = "internal", traceId: given }: SpanOptions = {},
    ): Promise<R> {
      const parent = storage.getStore();
      const traceId = parent?.traceId ?? given ?? hex(random, 4);
      const isRecorded = parent === undefined ? isSampled(traceId) : parent.spanId !== undefined;
      if (!isRecorded)
        return parent === undefined
          ? storage.run({ traceId, spanId: undefined }, () => work(unrecorded))
          : work(unrecorded);
      const ids = { traceId, spanId: hex(random, 2) };
      const span = new RecordedSpan({ ids, parentId: parent?.spanId, name, kind, fields, clock });
      try {
        return await storage.run(ids, () => work(span));
      } catch (error) {
        span.failed(error);
        throw error;
      } finally {
        onEnd(span.finish());
      }
    },
  };
}

type Start = Pick<FinishedSpan, "parentId" | "name" | "kind" | "fields"> & {
  readonly ids: NonNullable<Span["ids"]>;
  readonly clock: OtlpTracingOptions["clock"];
};

class RecordedSpan implements Span {
  readonly ids: NonNullable<Span["ids"]>;
  readonly #start: Start;
  readonly #startedAt: number;
  readonly #startedMonotonic: number;
  readonly #events: SpanEvent[] = [];
  #fields: SpanFields;
  #failure: { readonly error: unknown; readonly message: string } | undefined;

  constructor(start: Start) {
    this.ids = start.ids;
    this.#start = start;
    this.#fields = start.fields;
    this.#startedAt = start.clock.now();
    this.#startedMonotonic = start.clock.monotonic();
  }

  set(fields: SpanFields): void {
    this.#fields = { ...this.#fields, ...fields };
  }

  note(name: string, fields: SpanFields = {}): void {
    if (this.#events.length < eventsMax) this.#events.push({ name, at: this.#now, fields });
  }

  failed(error: unknown): void {
    // An error that is recorded and then thrown counts once.
    if (this.#failure?.error === error) return;
    const message = cutText(error instanceof Error ? error.message : "", messageLengthMax);
    this.#failure = { error, message };
    const type = typeOf(error);
    this.set({ "error.type": type });
    this.note("exception", { "exception.type": type, "exception.message": message });
  }

  finish(): FinishedSpan {
    const { parentId, name, kind } = this.#start;
    return {
      ...this.ids,
      parentId,
      name,
      kind,
      startedAt: this.#startedAt,
      endedAt: this.#now,
      fields: this.#fields,
      events: this.#events,
      failure: this.#failure?.message,
    };
  }

  /** The time of day, by the monotonic clock: a span must not end before its start. */
  get #now(): number {
    return this.#startedAt + this.#start.clock.monotonic() - this.#startedMonotonic;
  }
}

function typeOf(error: unknown): string {
  if (!(error instanceof Error)) return `thrown ${typeof error}`;
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

/** Returns random hexadecimal digits, 8 per word. An ID of zeros is invalid, so the last digit is never zero. */
function hex(random: Random, words: number): string {
  const digits = Array.from({ length: words }, () =>
    random
      .int(2 ** 32)
      .toString(16)
      .padStart(8, "0"),
  ).join("");
  return digits.endsWith("0") ? `${digits.slice(0, -1)}1` : digits;
}
