import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { ArgumentError } from "@homeostat/core";
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  type SpanOptions,
  type SpanStatus,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import { openTelemetryTracing, spanLogFields } from "./open-telemetry.ts";

/** A span that records its calls. */
class RecordedSpan implements Span {
  readonly name: string;
  readonly attributes: Record<string, unknown>;
  readonly events: string[] = [];
  readonly exceptions: unknown[] = [];
  status: SpanStatus | undefined;
  hasEnded = false;

  constructor(name: string, { attributes = {} }: SpanOptions = {}) {
    this.name = name;
    this.attributes = { ...attributes };
  }

  spanContext(): ReturnType<Span["spanContext"]> {
    return { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", traceFlags: 1 };
  }
  setAttribute(key: string, value: unknown): this {
    this.attributes[key] = value;
    return this;
  }
  setAttributes(attributes: Record<string, unknown>): this {
    Object.assign(this.attributes, attributes);
    return this;
  }
  addEvent(name: string): this {
    this.events.push(name);
    return this;
  }
  addLink(): this {
    return this;
  }
  addLinks(): this {
    return this;
  }
  setStatus(status: SpanStatus): this {
    this.status = status;
    return this;
  }
  updateName(): this {
    return this;
  }
  end(): void {
    this.hasEnded = true;
  }
  isRecording(): boolean {
    return !this.hasEnded;
  }
  recordException(exception: unknown): void {
    this.exceptions.push(exception);
  }
}

/** A tracer that records its spans: a minimal SDK. */
function recordSpans(): RecordedSpan[] {
  const spans: RecordedSpan[] = [];
  const start = (name: string, options?: SpanOptions): RecordedSpan => {
    const span = new RecordedSpan(name, options);
    spans.push(span);
    return span;
  };
  function startActiveSpan(...args: unknown[]): unknown {
    const work = args.at(-1) as (span: Span) => unknown;
    return work(start(String(args[0]), args[1] as SpanOptions));
  }
  const tracer: Tracer = {
    startSpan: (name: string, options?: SpanOptions, _context: Context = ROOT_CONTEXT) => start(name, options),
    startActiveSpan,
  };
  trace.setGlobalTracerProvider({ getTracer: () => tracer });
  return spans;
}

describe("openTelemetryTracing", () => {
  afterEach(() => trace.disable());

  it("runs work in a span with attributes that ends with the work", async () => {
    const spans = recordSpans();
    const tracing = await openTelemetryTracing();

    const result = await tracing.span("reconcile", { "k8s.namespace.name": "a" }, async (span) => {
      span.set({ attempt: 2 });
      span.note("written");
      assert.equal(spans[0]?.hasEnded, false);
      return spanLogFields(span);
    });

    const [span] = spans;
    assert.deepEqual(result, { trace_id: "0af7651916cd43dd8448eb211c80319c", span_id: "b7ad6b7169203331" });
    assert.equal(span?.name, "reconcile");
    assert.deepEqual(span.attributes, { "k8s.namespace.name": "a", attempt: 2 });
    assert.deepEqual(span.events, ["written"]);
    assert.equal(span.status, undefined);
    assert.equal(span.hasEnded, true);
  });

  it("records an error thrown by the work once and rethrows it", async () => {
    const spans = recordSpans();
    const tracing = await openTelemetryTracing();
    const error = new ArgumentError({ argument: "a", problem: "is wrong." });

    const working = tracing.span("reconcile", {}, async (span) => {
      span.failed(error);
      throw error;
    });

    await assert.rejects(working, error);
    assert.deepEqual(spans[0]?.exceptions, [error]);
    assert.deepEqual(spans[0].status, { code: 2, message: "a is wrong." });
    assert.equal(spans[0].attributes["error.type"], "ARGUMENT");
    assert.equal(spans[0].hasEnded, true);
  });

  it("works without an SDK, and then has no IDs", async () => {
    const tracing = await openTelemetryTracing();

    const fields = await tracing.span("reconcile", {}, async (span) => {
      span.failed("text");
      return spanLogFields(span);
    });

    assert.deepEqual(fields, {});
  });
});
