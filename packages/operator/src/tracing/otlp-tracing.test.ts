import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ArgumentError, FakeClock, SeededRandom } from "@homeostat/core";
import type { Tracing } from "@homeostat/runtime";
import { encodeSpans } from "./encode-spans.ts";
import type { FinishedSpan } from "./finished-span.ts";
import { otlpTracing } from "./otlp-tracing.ts";

function setup(isSampled = true): { tracing: Tracing; ended: FinishedSpan[]; clock: FakeClock } {
  const clock = new FakeClock();
  const ended: FinishedSpan[] = [];
  const random = new SeededRandom(1);
  return {
    tracing: otlpTracing({ clock, random, isSampled: () => isSampled, onEnd: (span) => void ended.push(span) }),
    ended,
    clock,
  };
}

describe("otlpTracing", () => {
  it("makes spans that start within the work of another span its children, also at the same time", async () => {
    const { tracing, ended } = setup();
    const traceId = "0123456789abcdef0123456789abcdef";

    const ids = await tracing.span(
      "root",
      {},
      async ({ ids: own }) => {
        await Promise.all(
          ["a", "b"].map((name) => tracing.span(name, {}, () => tracing.span(`${name}.1`, {}, async () => undefined))),
        );
        return own;
      },
      { traceId },
    );

    assert.deepEqual(
      ended.map(({ name }) => name),
      ["a.1", "b.1", "a", "b", "root"],
    );
    assert.ok(ended.every((span) => span.traceId === traceId));
    const byName = Object.fromEntries(ended.map((span) => [span.name, span]));
    assert.equal(byName["root"]?.parentId, undefined);
    assert.equal(byName["root"]?.spanId, ids?.spanId);
    assert.equal(byName["a"]?.parentId, ids?.spanId);
    assert.equal(byName["b"]?.parentId, ids?.spanId);
    assert.equal(byName["a.1"]?.parentId, byName["a"]?.spanId);
    assert.equal(new Set(ended.map(({ spanId }) => spanId)).size, 5);
  });

  it("starts another trace for the next span without a parent", async () => {
    const { tracing, ended } = setup();

    await tracing.span("a", {}, async () => undefined);
    await tracing.span("b", {}, async () => undefined);

    assert.equal(new Set(ended.map(({ traceId }) => traceId)).size, 2);
    for (const { traceId, spanId } of ended) assert.match(`${traceId} ${spanId}`, /^[0-9a-f]{32} [0-9a-f]{16}$/);
  });

  it("records nothing of a trace that is not sampled, and still does the work", async () => {
    const { tracing, ended } = setup(false);

    const result = await tracing.span("root", {}, (root) =>
      tracing.span("child", {}, async (child) => [root.ids, child.ids]),
    );

    assert.deepEqual(result, [undefined, undefined]);
    assert.deepEqual(ended, []);
  });

  it("records a thrown error once, and rethrows it", async () => {
    const { tracing, ended } = setup();
    const error = new ArgumentError({ argument: "a", problem: "is wrong." });

    const working = tracing.span("reconcile", {}, async (span) => {
      span.failed(error);
      throw error;
    });

    await assert.rejects(working, error);
    assert.equal(ended[0]?.failure, "a is wrong.");
    assert.equal(ended[0].fields["error.type"], "ARGUMENT");
    assert.deepEqual(
      ended[0].events.map(({ name }) => name),
      ["exception"],
    );
  });

  it("is encoded as OTLP in JSON", async () => {
    const { tracing, ended, clock } = setup();
    const traceId = "0123456789abcdef0123456789abcdef";
    await tracing.span(
      "call",
      { text: "a", count: 3, share: 0.5, isOk: true },
      async (span) => {
        await clock.advance(1_500);
        span.note("half", { at: 1 });
        span.failed(new Error("no"));
      },
      { kind: "client", traceId },
    );

    const encoded: unknown = JSON.parse(encodeSpans({ "service.name": "shop" }, { name: "shop", version: "1" }, ended));

    const start = `${Date.UTC(2026, 0, 1)}000000`;
    const end = `${Date.UTC(2026, 0, 1) + 1_500}000000`;
    assert.deepEqual(encoded, {
      resourceSpans: [
        {
          resource: { attributes: [{ key: "service.name", value: { stringValue: "shop" } }] },
          scopeSpans: [
            {
              scope: { name: "shop", version: "1" },
              spans: [
                {
                  traceId,
                  spanId: ended[0]?.spanId,
                  name: "call",
                  kind: 3,
                  startTimeUnixNano: start,
                  endTimeUnixNano: end,
                  attributes: [
                    { key: "text", value: { stringValue: "a" } },
                    { key: "count", value: { intValue: "3" } },
                    { key: "share", value: { doubleValue: 0.5 } },
                    { key: "isOk", value: { boolValue: true } },
                    { key: "error.type", value: { stringValue: "Error" } },
                  ],
                  events: [
                    { name: "half", timeUnixNano: end, attributes: [{ key: "at", value: { intValue: "1" } }] },
                    {
                      name: "exception",
                      timeUnixNano: end,
                      attributes: [
                        { key: "exception.type", value: { stringValue: "Error" } },
                        { key: "exception.message", value: { stringValue: "no" } },
                      ],
                    },
                  ],
                  status: { code: 2, message: "no" },
                },
              ],
            },
          ],
        },
      ],
    });
  });
});
