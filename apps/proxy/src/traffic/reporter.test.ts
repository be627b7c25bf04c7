import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import { type ReportContent, Reporter, reportMs, waitingMs } from "./reporter.ts";

function setup(): {
  clock: FakeClock;
  reporter: Reporter;
  state: { waiting: number; isTaken: boolean; content: ReportContent | undefined };
  sent: number[];
  lost: ReportContent[];
  send: () => Promise<boolean>;
} {
  const clock = new FakeClock();
  const startedAt = clock.monotonic();
  const activity = [{ namespace: "shop", service: "cart", sandboxUid: "u1", agoMs: 0, isWaiting: false }];
  const state = { waiting: 0, isTaken: true, content: { activity, sightings: [] } as ReportContent | undefined };
  const sent: number[] = [];
  const lost: ReportContent[] = [];
  const reporter = new Reporter({
    clock,
    take: () => state.content,
    putBack: (content) => lost.push(content),
    waiting: () => state.waiting,
  });
  const send = async (): Promise<boolean> => {
    sent.push(clock.monotonic() - startedAt);
    return state.isTaken;
  };
  return { clock, reporter, state, sent, lost, send };
}

describe("Reporter", () => {
  it("reports every 5 seconds while it is connected and has something to report", async () => {
    const { clock, reporter, state, sent, send } = setup();
    await clock.advance(reportMs);
    using connection = reporter.attach(send);
    await clock.advance(reportMs);
    state.content = undefined;
    await clock.advance(reportMs);
    state.content = { activity: [], sightings: [] };
    await clock.advance(reportMs);
    connection[Symbol.dispose]();
    await clock.advance(10 * reportMs);

    assert.deepEqual(sent, [2 * reportMs, 4 * reportMs]);
  });

  it("reports at once when a request waits, once for many, and repeats it while they wait", async () => {
    const { clock, reporter, state, sent, send } = setup();
    using _ = reporter.attach(send);
    state.waiting = 3;
    for (let count = 0; count < 3; count += 1) reporter.wake();
    await clock.advance(50 + 2 * waitingMs);
    state.waiting = 0;
    await clock.advance(waitingMs + reportMs);

    assert.deepEqual(
      sent,
      [0, waitingMs, 2 * waitingMs, 3 * waitingMs, 3 * waitingMs + reportMs].map((ms) => 50 + ms),
    );
  });

  it("puts back a report that was not taken or broke", async () => {
    const { clock, reporter, state, lost, send } = setup();
    using first = reporter.attach(send);
    state.isTaken = false;
    await clock.advance(reportMs);
    first[Symbol.dispose]();
    using _ = reporter.attach(() => Promise.reject(new Error("broken")));
    await clock.advance(reportMs);

    assert.equal(lost.length, 2);
  });

  it("reports a wake-up that came while a report was on its way right after it", async () => {
    const { clock, reporter, sent } = setup();
    let answer: (isTaken: boolean) => void = () => undefined;
    using _ = reporter.attach(() => {
      sent.push(clock.monotonic());
      return new Promise((resolve) => {
        answer = resolve;
      });
    });
    await clock.advance(reportMs);
    reporter.wake();
    await clock.advance(1_000);
    assert.equal(sent.length, 1);

    answer(true);
    await clock.advance(100);

    assert.equal(sent.length, 2);
  });

  it("reports soon after a reconnect if requests wait", async () => {
    const { clock, reporter, state, sent, send } = setup();
    state.waiting = 1;
    using _ = reporter.attach(send);
    await clock.advance(50);
    assert.deepEqual(sent, [50]);
  });
});
