import type { SpanFields } from "@homeostat/runtime";

/** An event within a span. */
export interface SpanEvent {
  readonly name: string;
  /** Time in milliseconds since the epoch. */
  readonly at: number;
  readonly fields: SpanFields;
}

/** A span that has ended, as the exporter sends it. */
export interface FinishedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Undefined for the first span of a trace. */
  readonly parentId: string | undefined;
  readonly name: string;
  readonly kind: "internal" | "client" | "server";
  /** Times in milliseconds since the epoch, with fractions. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly fields: SpanFields;
  readonly events: readonly SpanEvent[];
  /** Message of the error that the work has thrown or reported; undefined if there was none. */
  readonly failure: string | undefined;
}
