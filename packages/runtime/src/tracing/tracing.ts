/** What is known of a piece of work: `{ "k8s.namespace.name": "default" }`. */
export interface SpanFields {
  readonly [name: string]: string | number | boolean;
}

/** One piece of work, while it lasts. */
export interface Span {
  /** The ids by which a tracing system knows it; undefined when nobody records. */
  readonly ids: { readonly traceId: string; readonly spanId: string } | undefined;
  set(fields: SpanFields): void;
  /** Something happened at this moment. */
  note(name: string, fields?: SpanFields): void;
  failed(error: unknown): void;
}

/** Divides a program's work into spans. OpenTelemetry's is `openTelemetryTracing()`. */
export interface Tracing {
  /** Does some work as a span, within the one that is current. The span ends with the work. */
  span<R>(name: string, fields: SpanFields, work: (span: Span) => Promise<R>): Promise<R>;
}

const silentSpan: Span = { ids: undefined, set() {}, note() {}, failed() {} };

/** Tracing that records nothing. */
export const silentTracing: Tracing = { span: (_name, _fields, work) => work(silentSpan) };
