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

/** A creator of spans. The implementation for OpenTelemetry is `openTelemetryTracing()`. */
export interface Tracing {
  /** Runs work in a span that is a child of the current one. The span ends with the work. */
  span<R>(name: string, fields: SpanFields, work: (span: Span) => Promise<R>): Promise<R>;
}

const silentSpan: Span = { ids: undefined, set() {}, note() {}, failed() {} };

/** Tracing that records nothing. */
export const silentTracing: Tracing = { span: (_name, _fields, work) => work(silentSpan) };
