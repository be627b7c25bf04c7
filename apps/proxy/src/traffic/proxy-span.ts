import type { Random } from "@homeostat/core";
import type { ProxyErrorReason, RequestEnd, RequestRecord } from "@homeostat/proxy";

/** A span of a forwarded request. */
export interface ProxySpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string;
  readonly name: string;
  readonly kind: "server";
  /** Times in milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly fields: Readonly<Record<string, string | number | boolean>>;
  readonly events: readonly never[];
  readonly failure: string | undefined;
}

interface SpanContext {
  readonly record: RequestRecord;
  readonly parent: NonNullable<RequestRecord["parent"]>;
  readonly failure: ProxyErrorReason | undefined;
  readonly endedAt: number;
  readonly random: Random;
}

/** Returns the span of a request. The request is forwarded with the `traceparent` that it came with, so the span has no children. */
export function spanOf(
  { method, status, durationMs, protocol }: RequestEnd,
  { record, parent, failure, endedAt, random }: SpanContext,
): ProxySpan {
  const { namespace, service, kind, sandbox, workload } = record.shared;
  return {
    traceId: parent.traceId,
    spanId: spanId(random),
    parentId: parent.parentId,
    name: `route ${service}`,
    kind: "server",
    startedAt: endedAt - durationMs,
    endedAt,
    fields: {
      "http.request.method": method.slice(0, 32),
      "http.response.status_code": status,
      "network.protocol.version": protocol === "http2" ? "2" : "1.1",
      "k8s.namespace.name": namespace,
      "sandbox.service": service,
      "sandbox.destination": kind,
      "sandbox.reason": failure ?? record.reason,
      ...(kind === "sandbox" ? { "sandbox.name": sandbox, "sandbox.workload": workload } : {}),
    },
    events: [],
    failure,
  };
}

/** Returns 16 hexadecimal digits. An ID of zeros is invalid, so the first digit is never zero. */
function spanId(random: Random): string {
  const word = (min: number): string => (min + random.int(2 ** 32 - min)).toString(16).padStart(8, "0");
  return word(2 ** 28) + word(0);
}
