import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import { LogLimiter } from "./log-limiter.ts";

describe("LogLimiter", () => {
  it("writes ten lines per minute by default", async () => {
    const clock = new FakeClock();
    const limiter = new LogLimiter({ clock });
    const written = (count: number): number => {
      let lines = 0;
      for (let each = 0; each < count; each += 1) limiter.run("a", () => (lines += 1));
      return lines;
    };

    assert.deepEqual([written(9), written(1), written(1)], [9, 1, 0]);
    await clock.advance(59_999);
    assert.equal(written(1), 0);
    await clock.advance(1);
    assert.equal(written(11), 10);
  });

  it("suppresses lines beyond the limit and reports their number in the next interval", async () => {
    const clock = new FakeClock();
    const limiter = new LogLimiter({ clock, linesMax: 2, intervalMs: 1_000 });
    const lines: object[] = [];
    const write = (topic: string): void => limiter.run(topic, (fields) => lines.push({ topic, ...fields }));

    for (let count = 0; count < 1_000; count += 1) write("a");
    write("b");
    assert.deepEqual(lines, [{ topic: "a" }, { topic: "a" }, { topic: "b" }]);

    await clock.advance(1_000);
    write("a");
    write("a");
    write("a");
    assert.deepEqual(lines.slice(3), [{ topic: "a", suppressed: 998 }, { topic: "a" }]);
  });
});
