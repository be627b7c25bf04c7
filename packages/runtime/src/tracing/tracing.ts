/** Attributes of a span: `{ "k8s.namespace.name": "default" }`. */
export interface SpanFields {
  readonly [name: string]: string | number | boolean;
}

/** A unit of work in progress. */
export interface Span {
  /** The IDs of the span in the tracing system; undefined if it is not recorded. */
  readonly ids: { readonly traceId: string; readonly spanId: string } | undefined;
  set(fields: SpanFields): void;
  /** Adds an event to the span, at the current time. */
  note(name: string, fields?: SpanFields): void;
  failed(error: unknown): void;
}

/** Options of a span. */
export interface SpanOptions {
  /** `"client"` for a request to another program. Default: `"internal"`. */
  readonly kind?: "internal" | "client";
  /** Trace ID of a span without a parent: 32 hexadecimal digits. Default: a random one. A tracing system may choose its own. */
  readonly traceId?: string;
}

/** A creator of spans. The implementation for OpenTelemetry is `openTelemetryTracing()`. */
export interface Tracing {
  /** Runs work in a span that is a child of the current one. The span ends with the work, and records an error that it throws. */
  span<R>(name: string, fields: SpanFields, work: (span: Span) => Promise<R>, options?: SpanOptions): Promise<R>;
}

const silentSpan: Span = { ids: undefined, set() {}, note() {}, failed() {} };

/** Tracing that records nothing. */
export const silentTracing: Tracing = { span: (_name, _fields, work) => work(silentSpan) };

/** Returns the header that connects a request with its span (W3C Trace Context), or none if the span is not recorded. */
export function traceHeaders({ ids }: Pick<Span, "ids">): { readonly traceparent?: string } {
  return ids === undefined ? {} : { traceparent: `00-${ids.traceId}-${ids.spanId}-01` };
}
