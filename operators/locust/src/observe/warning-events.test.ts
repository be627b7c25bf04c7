import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, ForbiddenError } from "@homeostat/core";
import type { Event } from "@homeostat/kubernetes/core/v1";
import { silentLogger } from "@homeostat/runtime";
import { WarningEvents, type WarningReader } from "./warning-events.ts";

const forbidden = new ForbiddenError({
  status: 403,
  reason: "Forbidden",
  serverMessage: "events is forbidden",
  causes: [],
  details: {},
  hasStatus: true,
});
const query = { namespace: "perf", kind: "Pod", reason: "FailedMount" };

function eventAbout(uid: string): Event {
  const involvedObject = { kind: "Pod", namespace: "perf", name: uid, uid };
  return { apiVersion: "v1", kind: "Event", metadata: { namespace: "perf", name: `${uid}.1` }, involvedObject };
}

/** A reader that counts its lists. */
class CountingReader implements WarningReader {
  readonly log = silentLogger;
  readonly signal: AbortSignal;
  readonly selectors: string[] = [];
  readonly #respond: () => Promise<readonly Event[]>;

  constructor(respond: () => Promise<readonly Event[]>, signal = new AbortController().signal) {
    this.#respond = respond;
    this.signal = signal;
  }

  readonly list = async function* (this: CountingReader, fieldSelector: string): AsyncIterable<Event> {
    this.selectors.push(fieldSelector);
    yield* await this.#respond();
  }.bind(this);
}

describe("WarningEvents", () => {
  it("returns the events about the given objects, by one list for all callers within ten seconds", async () => {
    const clock = new FakeClock();
    const events = new WarningEvents(clock);
    const reader = new CountingReader(async () => [eventAbout("a"), eventAbout("b"), eventAbout("c")]);

    const [first, second] = await Promise.all([
      events.about(["a", "c"], query, reader),
      events.about(["b"], query, reader),
    ]);
    await clock.advance(9_999);
    await events.about(["x"], query, reader);

    assert.deepEqual(first, [eventAbout("a"), eventAbout("c")]);
    assert.deepEqual(second, [eventAbout("b")]);
    assert.deepEqual(reader.selectors, ["involvedObject.kind=Pod,type=Warning,reason=FailedMount"]);
  });

  it("reads again after ten seconds, and for another namespace or reason", async () => {
    const clock = new FakeClock();
    const events = new WarningEvents(clock);
    const reader = new CountingReader(async () => []);

    await events.about(["a"], query, reader);
    await events.about(["a"], { ...query, namespace: "other" }, reader);
    await events.about(["a"], { ...query, reason: "FailedAttachVolume" }, reader);
    await clock.advance(10_000);
    await events.about(["a"], query, reader);

    assert.equal(reader.selectors.length, 4);
  });

  it("reads for itself when the list of another reconcile fails", async () => {
    const events = new WarningEvents(new FakeClock());
    const failing = new CountingReader(async () => Promise.reject(new Error("aborted")));
    const working = new CountingReader(async () => [eventAbout("a")]);

    const failed = events.about(["a"], query, failing);
    const found = events.about(["a"], query, working);

    await assert.rejects(failed, /aborted/);
    assert.deepEqual(await found, [eventAbout("a")]);
  });

  it("finds no events where the operator may not list them", async () => {
    const events = new WarningEvents(new FakeClock());
    const reader = new CountingReader(async () => Promise.reject(forbidden));

    assert.deepEqual(await events.about(["a"], query, reader), []);
    assert.deepEqual(await events.about(["a"], query, reader), []);
    assert.equal(reader.selectors.length, 1);
  });
});
