import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import { LogRing } from "./log-ring.ts";
import { type PodLogOptions, readLog } from "./pod-logs.ts";

describe("the log of a container", () => {
  const read = async (
    ring: LogRing,
    options: Partial<PodLogOptions> = {},
    clock = new FakeClock(),
  ): Promise<string> => {
    let text = "";
    for await (const bytes of readLog(ring, { namespace: "default", name: "web", ...options }, clock))
      text += Buffer.from(bytes).toString();
    return text;
  };
  const ringOf = (...lines: string[]): LogRing => {
    const ring = new LogRing();
    for (const [index, line] of lines.entries())
      ring.print(line, Date.UTC(2026, 0, 1) - (lines.length - index) * 1_000);
    return ring;
  };

  it("can be read whole, from the end, by age, with times, and up to a size", async () => {
    const ring = ringOf("one", "two\n", "three\nfour");

    assert.equal(await read(ring), "one\ntwo\nthree\nfour\n");
    assert.equal(await read(ring, { tailLines: 2 }), "three\nfour\n");
    assert.equal(await read(ring, { tailLines: 0 }), "");
    assert.equal(await read(ring, { sinceSeconds: 2 }), "two\nthree\nfour\n");
    assert.equal(await read(ring, { limitBytes: 6 }), "one\ntw");
    assert.match(await read(ring, { timestamps: true, tailLines: 1 }), /^2025-12-31T23:59:59\.000000000Z four\n$/);
  });

  it("can be followed until the container exits", async () => {
    const ring = ringOf("one");
    const reading = read(ring, { follow: true });
    await Promise.resolve();
    ring.print("two", 0);
    ring.print("three", 0);
    ring.end();

    assert.equal(await reading, "one\ntwo\nthree\n");
  });

  it("can be followed until the reader stops", async () => {
    const stop = new AbortController();
    const reading = read(ringOf("one"), { follow: true, signal: stop.signal });
    await Promise.resolve();
    stop.abort();

    assert.equal(await reading, "one\n");
  });

  it("is bounded: the oldest lines are dropped", async () => {
    const ring = new LogRing(100);
    for (let index = 0; index < 1_000; index += 1) ring.print(`line ${index}`, 0);

    const text = await read(ring);

    assert.ok(text.length <= 100 && text.endsWith("line 999\n"), text);
  });
});
