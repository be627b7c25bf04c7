import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, nextTurn } from "@homeostat/core";
import { silentLogger, type Logger } from "@homeostat/runtime";
import { sharedSignals } from "./shared-signal.ts";
import { controlQueue, type WorkResult, processQueue } from "./work.ts";

describe("processQueue", () => {
  const working = (work: (key: string) => Promise<WorkResult>, log: Logger = silentLogger) => {
    const clock = new FakeClock();
    const queue = controlQueue("test", clock);
    const stop = new AbortController();
    const running = processQueue({ queue, log }, work, stop.signal);
    return { clock, queue, stop, running };
  };

  it("processes a key once, again after a delay, or again with back-off", async () => {
    const done: string[] = [];
    const { clock, queue, stop, running } = working((key) => {
      done.push(key);
      if (key === "later" && done.length < 4) return Promise.resolve({ afterMs: 1000 });
      if (key === "fails" && done.length < 4) return Promise.reject(new Error("no"));
      return Promise.resolve(undefined);
    });

    for (const key of ["once", "later", "fails"]) queue.add(key);
    await nextTurn();
    await clock.advance(10);
    const soon = [...done];
    await clock.advance(1000);
    stop.abort();
    await running;

    assert.deepEqual(soon, ["once", "later", "fails", "fails"]);
    assert.deepEqual(done, ["once", "later", "fails", "fails", "later"]);
  });

  it("stops on the signal and waits for work in progress", async () => {
    let end: () => void = () => undefined;
    const { queue, stop, running } = working(
      () =>
        new Promise((resolve) => {
          end = () => resolve(undefined);
        }),
    );
    queue.add("a");
    queue.add("b");
    await nextTurn();

    stop.abort();
    end();
    await running;

    assert.equal(queue.isClosed, true);
  });
});

describe("sharedSignals", () => {
  it("returns a signal that aborts with the given one, for the same reason", () => {
    const shared = sharedSignals();
    const given = new AbortController();

    const signal = shared(given.signal);
    given.abort("enough");

    assert.equal(shared(given.signal), signal);
    assert.equal(signal.reason, "enough");
    assert.equal(shared(AbortSignal.abort("before")).reason, "before");
  });
});
