import type { Span as ApiSpan } from "@opentelemetry/api";
import type { LogFields } from "../log/logger.ts";
import type { Span, SpanFields, Tracing } from "./tracing.ts";

/** Options of {@link openTelemetryTracing}. */
export interface OpenTelemetryOptions {
  /** Name of the tracer. Default: `homeostat`. */
  readonly name?: string;
  readonly version?: string;
}

/**
 * Returns tracing by the OpenTelemetry API package, which is loaded on the first call; the program chooses the SDK and
 * the exporter.
 *
 * An error thrown by the work is recorded and rethrown. Without an SDK nothing is recorded and nothing fails. Nested
 * spans require the SDK's context manager.
 *
 * @example
 * new NodeSDK({ traceExporter }).start();
 * const tracing = await openTelemetryTracing();
 */
export async function openTelemetryTracing(options: OpenTelemetryOptions = {}): Promise<Tracing> {
  const { name = "homeostat", version } = options;
  const { isSpanContextValid, SpanKind, SpanStatusCode, trace } = await import("@opentelemetry/api");
  const tracer = trace.getTracer(name, version);

  const wrap = (span: ApiSpan): Span => {
    const context = span.spanContext();
    const { traceId, spanId } = context;
    let lastError: { readonly error: unknown } | undefined;
    return {
      ids: isSpanContextValid(context) ? { traceId, spanId } : undefined,
      set: (fields) => void span.setAttributes({ ...fields }),
      note: (event, fields) => void span.addEvent(event, { ...fields }),
      failed(error) {
        // An error that is recorded and then thrown counts once.
        if (lastError?.error === error) return;
        lastError = { error };
        const message = error instanceof Error ? error.message : "";
        const code = codeOf(error);
        span.recordException(error instanceof Error ? error : { name: `thrown ${typeof error}`, message });
        if (code !== undefined) span.setAttribute("error.type", code);
        span.setStatus({ code: SpanStatusCode.ERROR, message });
      },
    };
  };

  return {
    span: (spanName, fields, work, { kind = "internal" } = {}) => {
      const spanKind = kind === "client" ? SpanKind.CLIENT : SpanKind.INTERNAL;
      return tracer.startActiveSpan(spanName, { attributes: { ...fields }, kind: spanKind }, async (apiSpan) => {
        const span = wrap(apiSpan);
        try {
          return await work(span);
        } catch (error) {
          span.failed(error);
          throw error;
        } finally {
          apiSpan.end();
        }
      });
    },
  };
}

/**
 * Returns the fields that connect a log line with a span: `trace_id` and `span_id`. Returns none if the span is not
 * recorded.
 */
export function spanLogFields({ ids }: Pick<Span, "ids">): LogFields {
  return ids === undefined ? {} : { trace_id: ids.traceId, span_id: ids.spanId };
}

function codeOf(error: unknown): SpanFields[string] | undefined {
  if (!(error instanceof Error)) return undefined;
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
