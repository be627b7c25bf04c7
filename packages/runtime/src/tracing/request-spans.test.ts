import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Request, Response, Transport } from "@homeostat/client";
import { requestSpans } from "./request-spans.ts";
import type { SpanFields, SpanOptions, Tracing } from "./tracing.ts";

interface SeenSpan {
  readonly name: string;
  readonly fields: Record<string, unknown>;
  readonly options: SpanOptions | undefined;
}

function setup(isTraced: boolean): { transport: Transport; spans: SeenSpan[]; sent: Request[] } {
  const spans: SeenSpan[] = [];
  const sent: Request[] = [];
  const tracing: Tracing = {
    async span(name, fields, work, options) {
      const span: SeenSpan = { name, fields: { ...fields }, options };
      spans.push(span);
      const set = (more: SpanFields): void => void Object.assign(span.fields, more);
      return work({ ids: { traceId: "a".repeat(32), spanId: "b".repeat(16) }, set, note() {}, failed() {} });
    },
  };
  const server: Transport = {
    async send(request): Promise<Response> {
      sent.push(request);
      const body = { cancel: () => undefined, [Symbol.asyncIterator]: () => nothing() };
      return { status: 201, headers: {}, body };
    },
  };
  return { transport: requestSpans(tracing, () => isTraced)(server), spans, sent };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

const about = { verb: "create", resource: "services", key: "a/web" };

describe("requestSpans", () => {
  it("records a request with its subject and status, and sends the IDs of its span", async () => {
    const { transport, spans, sent } = setup(true);

    await transport.send({ method: "POST", path: "/api/v1/namespaces/a/services", headers: { accept: "x" }, about });

    assert.deepEqual(spans, [
      {
        name: "k8s create services",
        fields: { "http.request.method": "POST", "k8s.object": "a/web", "http.response.status_code": 201 },
        options: { kind: "client" },
      },
    ]);
    const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
    assert.deepEqual(sent[0]?.headers, { accept: "x", traceparent });
  });

  it("records neither watches nor requests outside of a reconcile", async () => {
    const inside = setup(true);
    const outside = setup(false);

    await inside.transport.send({ method: "GET", path: "/", about: { verb: "watch", resource: "services" } });
    await outside.transport.send({ method: "POST", path: "/", about });

    assert.deepEqual([inside.spans, outside.spans], [[], []]);
    assert.equal(inside.sent[0]?.headers, undefined);
  });
});
