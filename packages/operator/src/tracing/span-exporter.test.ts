import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import { type LogLine, recordingLogger, Registry } from "@homeostat/runtime";
import type { FinishedSpan } from "./finished-span.ts";
import { type CollectorResponse, type ExportLimits, SpanExporter } from "./span-exporter.ts";

type Send = (spans: readonly FinishedSpan[], signal: AbortSignal) => Promise<CollectorResponse>;

function span(name: string): FinishedSpan {
  const ids = { traceId: "1".repeat(32), spanId: "1".repeat(16), parentId: undefined };
  return { ...ids, name, kind: "internal", startedAt: 0, endedAt: 1, fields: {}, events: [], failure: undefined };
}

function response(status: number, body = "{}", headers: Record<string, string> = {}): CollectorResponse {
  return { status, headers, body: Buffer.from(body) };
}

/** An exporter that runs, with the names of the spans of each request that it has sent. */
class Running {
  readonly clock = new FakeClock();
  readonly registry = new Registry();
  readonly lines: LogLine[] = [];
  readonly sent: string[][] = [];
  readonly exporter: SpanExporter;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;

  constructor(send: Send, limits: Partial<ExportLimits> = {}) {
    this.exporter = new SpanExporter({
      queueMax: 4,
      batchMax: 2,
      delayMs: 5_000,
      timeoutMs: 10_000,
      ...limits,
      clock: this.clock,
      send: (spans, signal) => {
        this.sent.push(spans.map(({ name }) => name));
        return send(spans, signal);
      },
    });
    const service = this.exporter.service({ registry: this.registry, log: recordingLogger(this.lines) });
    this.#done = service.run(this.#stop.signal);
  }

  add(...names: string[]): void {
    for (const name of names) this.exporter.add(span(name));
  }

  async stop(afterMs = 0): Promise<void> {
    this.#stop.abort();
    await this.clock.advance(afterMs);
    await this.#done;
  }

  count(series: string): number {
    const line = this.registry
      .expose()
      .split("\n")
      .find((other) => other.startsWith(`homeostat_trace_spans_${series} `));
    return Number(line?.split(" ")[1]);
  }
}

/** Returns a function that never responds before its signal aborts. */
const hanging: Send = (_spans, signal) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });

describe("SpanExporter", () => {
  it("sends a batch when it is full, and an incomplete one after the delay", async () => {
    const running = new Running(async () => response(200));

    running.add("a", "b", "c");
    await running.clock.advance(0);
    const atOnce = [...running.sent];
    running.add("d");
    await running.clock.advance(5_000);
    await running.stop();

    assert.deepEqual(atOnce, [["a", "b"], ["c"]]);
    assert.deepEqual(running.sent.slice(2), [["d"]]);
    assert.equal(running.count("exported_total"), 4);
  });

  it("drops spans beyond the limit of the queue without waiting while the collector hangs", async () => {
    const running = new Running(hanging);
    running.add("a", "b");
    await running.clock.advance(0);

    running.add("c", "d", "e", "f");

    assert.equal(running.count('dropped_total{reason="queue-full"}'), 2);
    await running.stop(3_000);
    assert.equal(running.count('dropped_total{reason="stopped"}'), 4);
  });

  it("retries after the time that the collector asks for, and drops a batch after five attempts", async () => {
    const running = new Running(async () => response(503, "", { "retry-after": "20" }));
    running.add("a", "b");

    await running.clock.advance(19_999);
    const early = running.sent.length;
    await running.clock.advance(60_001);
    const late = running.sent.length;
    await running.stop();

    assert.deepEqual([early, late], [1, 5]);
    assert.equal(running.count('dropped_total{reason="failed"}'), 2);
    assert.deepEqual(
      running.lines.map(({ message, problem, spans }) => [message, problem, spans]),
      [["Failed to export traces", "the collector responded with status 503", 2]],
    );
  });

  it("does not retry a request that the collector refuses", async () => {
    const running = new Running(async () => response(400));
    running.add("a", "b");

    await running.clock.advance(60_000);
    await running.stop();

    assert.equal(running.sent.length, 1);
    assert.equal(running.count('dropped_total{reason="failed"}'), 2);
  });

  it("counts the spans that the collector rejects in a successful response", async () => {
    const running = new Running(async () => response(200, '{"partialSuccess":{"rejectedSpans":"1"}}'));
    running.add("a", "b");

    await running.clock.advance(0);
    await running.stop();

    assert.equal(running.count("exported_total"), 1);
    assert.equal(running.count('dropped_total{reason="rejected"}'), 1);
  });

  it("sends what is left when the program stops, for three seconds at most", async () => {
    const prompt = new Running(async () => response(200));
    prompt.add("a");
    await prompt.stop();
    const stuck = new Running(hanging);
    stuck.add("a");
    await stuck.stop(3_000);

    assert.deepEqual(prompt.sent, [["a"]]);
    assert.equal(prompt.count("exported_total"), 1);
    assert.equal(stuck.count('dropped_total{reason="stopped"}'), 1);
  });
});
