// The JSON encoding of OTLP: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding.

import { cutText } from "@homeostat/core";
import type { SpanFields } from "@homeostat/runtime";
import type { FinishedSpan, SpanEvent } from "./finished-span.ts";

/** Maximum length of a text attribute. */
const textLengthMax = 1_024;

const spanKinds = { internal: 1, server: 2, client: 3 } as const;
const statusCodeError = 2;

interface Attribute {
  readonly key: string;
  readonly value:
    | { readonly stringValue: string }
    | { readonly boolValue: boolean }
    | { readonly intValue: string }
    | { readonly doubleValue: number };
}

/** Returns the body of an export request: spans of one program, whose resource attributes are the same. */
export function encodeSpans(
  resource: Readonly<Record<string, string>>,
  scope: { readonly name: string; readonly version: string },
  spans: readonly FinishedSpan[],
): string {
  return JSON.stringify({
    resourceSpans: [
      { resource: { attributes: attributesOf(resource) }, scopeSpans: [{ scope, spans: spans.map(encodeSpan) }] },
    ],
  });
}

function encodeSpan(span: FinishedSpan): unknown {
  const { traceId, spanId, parentId, name, kind, startedAt, endedAt, fields, events, failure } = span;
  return {
    traceId,
    spanId,
    ...(parentId !== undefined && { parentSpanId: parentId }),
    name: cutText(name, textLengthMax),
    kind: spanKinds[kind],
    startTimeUnixNano: nanoseconds(startedAt),
    endTimeUnixNano: nanoseconds(endedAt),
    attributes: attributesOf(fields),
    events: events.map(encodeEvent),
    status: failure === undefined ? {} : { code: statusCodeError, message: cutText(failure, textLengthMax) },
  };
}

function encodeEvent({ name, at, fields }: SpanEvent): unknown {
  return { name: cutText(name, textLengthMax), timeUnixNano: nanoseconds(at), attributes: attributesOf(fields) };
}

/** Returns a time in nanoseconds as decimal text: 64-bit integers are texts in this encoding. */
function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * 1_000)) * 1_000n);
}

function attributesOf(fields: SpanFields): Attribute[] {
  return Object.entries(fields).map(([key, value]) => ({ key, value: encodeValue(value) }));
}

function encodeValue(value: string | number | boolean): Attribute["value"] {
  if (typeof value === "string") return { stringValue: cutText(value, textLengthMax) };
  if (typeof value === "boolean") return { boolValue: value };
  if (Number.isSafeInteger(value)) return { intValue: String(value) };
  // JSON has no NaN and no infinity.
  return Number.isFinite(value) ? { doubleValue: value } : { stringValue: String(value) };
}
