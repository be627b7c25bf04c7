import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  AlreadyExistsError,
  type ApiFailure,
  dnsSubdomainProblems,
  FakeClock,
  ForbiddenError,
  NetworkError,
  NotFoundError,
  SeededRandom,
  ServiceUnavailableError,
} from "@homeostat/core";
import type { Event } from "@homeostat/kubernetes/events/v1";
import * as fc from "fast-check";
import { Registry } from "../metrics/registry.ts";
import type { DroppedEvents } from "./drop-log.ts";
import { EventMetrics } from "./event-metrics.ts";
import { EventRecorder } from "./event-recorder.ts";
import type { EventRecord, EventSubject } from "./make-event.ts";
import type { EventRecorderOptions } from "./options.ts";

const failure = (status: number, reason: string, retryAfterMs?: number): ApiFailure => ({
  status,
  reason,
  retryAfterMs,
  serverMessage: "",
  causes: [],
  details: {},
  hasStatus: true,
});

const job: EventSubject = {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "load", namespace: "shop", uid: "u1", resourceVersion: "7" },
};

const started: EventRecord = { type: "Normal", reason: "Started", action: "CreateJob", note: "The job was created." };

function setUp(options: Partial<EventRecorderOptions> = {}) {
  const clock = new FakeClock();
  const stored = new Map<string, Event>();
  const calls: string[] = [];
  const drops: string[] = [];
  /** Errors with which the next calls reject. */
  const troubles: unknown[] = [];
  const call = (verb: string, event: Event, act: () => void): Promise<void> => {
    calls.push(`${verb}@${clock.monotonic()}`);
    const [trouble] = troubles.splice(0, 1);
    if (trouble !== undefined) return Promise.reject(trouble);
    assert.equal(event.metadata.namespace !== undefined, true);
    act();
    return Promise.resolve();
  };
  const recorder = new EventRecorder({
    sink: {
      create: (event) => {
        if (stored.has(event.metadata.name ?? "")) {
          calls.push(`create@${clock.monotonic()}`);
          return Promise.reject(new AlreadyExistsError(failure(409, "AlreadyExists")));
        }
        return call("create", event, () => stored.set(event.metadata.name ?? "", event));
      },
      patch: (event) =>
        call("patch", event, () => {
          const old = stored.get(event.metadata.name ?? "");
          if (old === undefined) throw new NotFoundError(failure(404, "NotFound"));
          stored.set(event.metadata.name ?? "", { ...old, ...(event.series && { series: event.series }) });
        }),
    },
    clock,
    random: new SeededRandom(1),
    reportingController: "homeostat.dev/locust",
    reportingInstance: "locust-0",
    meter: { recorded: () => undefined, sent: () => undefined, dropped: (cause) => drops.push(cause) },
    ...options,
  });
  const controller = new AbortController();
  const done = recorder.run(controller.signal);
  const stop = async (): Promise<void> => {
    controller.abort();
    await clock.advance(10_000);
    await done;
  };
  return { clock, stored, calls, drops, troubles, recorder, stop, done };
}

describe("EventRecorder", () => {
  it("writes the reporting controller of the record if it has one", async () => {
    const { clock, stored, recorder, stop } = setUp();

    recorder.record(job, { ...started, reportingController: "sites-controller" });
    await clock.advance(0);

    assert.deepEqual(
      [...stored.values()].map(({ reportingController }) => reportingController),
      ["sites-controller"],
    );
    await stop();
  });

  it("writes events in the form that the API server requires", async () => {
    const { clock, stored, recorder, stop } = setUp();

    recorder.record(job, {
      ...started,
      related: { apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "shop" } },
    });
    await clock.advance(0);

    const nanos = (BigInt(Date.UTC(2026, 0, 1)) * 1_000_000n).toString(16);
    assert.deepEqual(
      [...stored.values()],
      [
        {
          apiVersion: "events.k8s.io/v1",
          kind: "Event",
          metadata: { name: `load.${nanos}`, namespace: "shop" },
          eventTime: "2026-01-01T00:00:00.000000Z",
          reportingController: "homeostat.dev/locust",
          reportingInstance: "locust-0",
          type: "Normal",
          reason: "Started",
          action: "CreateJob",
          note: "The job was created.",
          regarding: {
            apiVersion: "batch/v1",
            kind: "Job",
            name: "load",
            namespace: "shop",
            uid: "u1",
            resourceVersion: "7",
          },
          related: { apiVersion: "v1", kind: "Pod", name: "p", namespace: "shop" },
        },
      ],
    );
    await stop();
    assert.equal(clock.pending, 0);
  });

  it("puts events about cluster-scoped objects into the namespace default", async () => {
    const { clock, stored, recorder, stop } = setUp();

    recorder.record({ apiVersion: "homeostat.dev/v1", kind: "Tenant", metadata: { name: "acme" } }, started);
    await clock.advance(0);

    const [event] = stored.values();
    assert.equal(event?.metadata.namespace, "default");
    assert.equal(event?.regarding?.namespace, undefined);
    await stop();
  });

  it("counts repetitions across all versions of the object and sends the count periodically", async () => {
    const { clock, stored, calls, recorder, stop } = setUp();

    for (let i = 0; i < 100; i += 1) {
      recorder.record({ ...job, metadata: { ...job.metadata, resourceVersion: `${i}` } }, started);
      await clock.advance(100);
    }
    assert.equal(calls.length, 1);
    await clock.advance(30_000);

    assert.deepEqual(calls, ["create@0", "patch@30000"]);
    const [event] = stored.values();
    assert.deepEqual(event?.series, { count: 100, lastObservedTime: "2026-01-01T00:00:09.900000Z" });
    await stop();
    assert.equal(stored.size, 1);
  });

  it("starts a new event when a series has had no repetition for six minutes", async () => {
    const { clock, stored, recorder, stop } = setUp();
    recorder.record(job, started);
    recorder.record(job, started);

    await clock.advance(400_000);
    assert.equal(recorder.size.series, 0);
    recorder.record(job, started);
    await clock.advance(0);

    assert.deepEqual(
      [...stored.values()].map(({ series }) => series?.count),
      [2, undefined],
    );
    await stop();
  });

  it("distinguishes ten notes and combines further ones", async () => {
    const { clock, stored, recorder, stop } = setUp();

    for (let i = 0; i < 50; i += 1) recorder.record(job, { ...started, note: `try ${i}` });
    await clock.advance(0);

    const notes = [...stored.values()].map(({ note }) => note);
    assert.equal(notes.length, 11);
    assert.deepEqual(notes.slice(0, 2), ["try 0", "try 1"]);
    assert.equal(notes[10], "(combined from similar events): try 10");
    await clock.advance(30_000);
    assert.equal([...stored.values()][10]?.series?.count, 40);
    await stop();
  });

  it("writes 25 times about an object and then once every five minutes", async () => {
    const { clock, stored, drops, recorder, stop } = setUp({ notesMax: 1000 });

    for (let i = 0; i < 40; i += 1) recorder.record(job, { ...started, reason: `R${i}` });
    await clock.advance(0);
    assert.equal(stored.size, 25);
    assert.deepEqual(
      drops,
      Array.from({ length: 15 }, () => "rate-limited"),
    );
    recorder.record({ ...job, metadata: { name: "other", namespace: "shop" } }, started);
    await clock.advance(300_000);
    recorder.record(job, { ...started, reason: "Later" });
    recorder.record(job, { ...started, reason: "TooSoon" });
    await clock.advance(0);

    assert.equal(stored.size, 27);
    await stop();
  });

  it("limits events with a named limit apart from the others about the same object", async () => {
    const { clock, stored, recorder, stop } = setUp({ notesMax: 1000 });

    for (let i = 0; i < 40; i += 1) recorder.record(job, { ...started, reason: `R${i}` });
    for (let i = 0; i < 40; i += 1) recorder.record(job, { ...started, reason: `Restart${i}`, limit: "restarts" });
    await clock.advance(0);

    const reasons = [...stored.values()].map(({ reason = "" }) => reason);
    assert.equal(reasons.filter((reason) => reason.startsWith("Restart")).length, 25);
    assert.equal(reasons.length, 50);
    await stop();
  });

  it("retries a limited number of times when the server cannot be reached, without blocking the caller", async () => {
    const { clock, stored, calls, drops, troubles, recorder, stop } = setUp();
    const reset = new NetworkError({ socketCode: "ECONNRESET", requestSent: true });

    troubles.push(reset, new ServiceUnavailableError(failure(503, "ServiceUnavailable", 5_000)));
    recorder.record(job, started);
    await clock.advance(20_000);
    assert.equal(stored.size, 1);
    assert.equal(calls.length, 3);

    troubles.push(...Array.from({ length: 6 }, () => reset));
    recorder.record(job, { ...started, reason: "Lost" });
    await clock.advance(200_000);
    assert.equal(stored.size, 1);
    assert.deepEqual(drops, ["failed"]);
    recorder.record(job, { ...started, reason: "Lost" });
    await clock.advance(0);
    assert.equal(stored.size, 2, "a dropped event is created when it occurs again");
    await stop();
  });

  it("does not retry an event that the server rejects", async () => {
    const { clock, calls, drops, troubles, recorder, stop } = setUp();
    troubles.push(new ForbiddenError(failure(403, "Forbidden")));

    recorder.record(job, started);
    await clock.advance(60_000);

    assert.equal(calls.length, 1);
    assert.deepEqual(drops, ["failed"]);
    await stop();
  });

  it("treats an event as written when only the response was lost", async () => {
    const { clock, stored, drops, recorder, stop } = setUp({
      sink: {
        create: (event) => {
          const name = event.metadata.name ?? "";
          if (stored.has(name)) return Promise.reject(new AlreadyExistsError(failure(409, "AlreadyExists")));
          stored.set(name, event);
          return Promise.reject(new NetworkError({ socketCode: "ECONNRESET", requestSent: true }));
        },
        patch: () => Promise.resolve(),
      },
    });

    recorder.record(job, started);
    await clock.advance(10_000);

    assert.equal(stored.size, 1);
    assert.deepEqual(drops, []);
    await stop();
  });

  it("recreates an event with its count when the server has deleted it", async () => {
    const { clock, stored, troubles, recorder, stop } = setUp();
    recorder.record(job, started);
    await clock.advance(0);
    stored.clear();
    troubles.push(new NotFoundError(failure(404, "NotFound")));

    recorder.record(job, started);
    await clock.advance(30_000);

    const [event] = stored.values();
    assert.equal(event?.series?.count, 2);
    await stop();
  });

  it("survives a sink that never responds and one that throws synchronously", async () => {
    for (const create of [
      () => new Promise<never>(() => {}),
      () => {
        throw new Error("broken");
      },
    ]) {
      const { clock, drops, recorder, stop, done } = setUp({ sink: { create, patch: create } });
      recorder.record(job, started);

      await clock.advance(200_000);

      assert.deepEqual(drops, ["failed"]);
      await stop();
      await done;
      assert.equal(clock.pending, 0);
    }
  });

  it("sends the remaining events when it stops and drops those that cannot be sent in time", async () => {
    const { stored, drops, recorder, stop } = setUp();
    recorder.record(job, started);
    recorder.record(job, started);
    await stop();
    assert.equal([...stored.values()][0]?.series?.count, 2);
    recorder.record(job, { ...started, reason: "After" });
    assert.deepEqual(drops, ["stopped"]);

    const never = (): Promise<never> => new Promise<never>(() => {});
    const deaf = setUp({ sink: { create: never, patch: never } });
    deaf.recorder.record(job, started);
    await deaf.stop();
    assert.deepEqual(deaf.drops, ["stopped"]);
  });

  it("sends all counts on flush", async () => {
    const { clock, stored, recorder, stop } = setUp();
    recorder.record(job, started);
    await clock.advance(0);
    recorder.record(job, started);

    const flushed = recorder.flush();
    await clock.advance(0);
    await flushed;

    assert.equal([...stored.values()][0]?.series?.count, 2);
    await recorder.flush();
    await stop();
    await recorder.flush();
  });

  it("rejects records that no server would accept", () => {
    const { recorder } = setUp();
    for (const bad of [{ reason: "" }, { action: "" }, { reason: "x".repeat(129) }, { action: "ä".repeat(65) }])
      assert.throws(() => recorder.record(job, { ...started, ...bad }), { code: "ARGUMENT" });
    assert.throws(() => recorder.record({ ...job, metadata: {} }, started), { code: "ARGUMENT" });
    assert.throws(() => setUp({ reportingController: "not a name" }), { code: "ARGUMENT" });
    assert.throws(() => setUp({ reportingInstance: "" }), { code: "ARGUMENT" });
  });

  it("gives every event a unique name, however long the object's name is", async () => {
    const { clock, stored, recorder, stop } = setUp();

    for (const name of ["a", "x".repeat(253), "system:kube-scheduler", "__proto__"]) {
      for (let i = 0; i < 5; i += 1)
        recorder.record({ ...job, metadata: { name, namespace: "shop" } }, { ...started, reason: `R${i}` });
    }
    await clock.advance(0);

    assert.equal(stored.size, 20);
    for (const name of stored.keys()) assert.deepEqual(dnsSubdomainProblems(name), []);
    await stop();
  });

  it("reports a burst of drops once per interval, with the count and the object", async () => {
    const reports: DroppedEvents[] = [];
    const { clock, recorder, stop } = setUp({ onDrops: (dropped) => reports.push(dropped), notesMax: 1000 });
    const other = { ...job, metadata: { ...job.metadata, name: "other", uid: "u2" } };

    for (let i = 0; i < 125; i += 1) recorder.record(job, { ...started, reason: `R${i}` });
    for (let i = 0; i < 30; i += 1) recorder.record(other, { ...started, reason: `R${i}` });
    const atOnce = reports.length;
    await clock.advance(60_000);
    const afterBurst = reports.length;
    await clock.advance(600_000);
    for (let i = 0; i < 5; i += 1) recorder.record(other, { ...started, reason: `S${i}` });
    await stop();

    assert.deepEqual([atOnce, afterBurst], [1, 2]);
    assert.deepEqual(
      reports.map(({ count, causes, objects, event }) => [count, causes, objects, event.regarding?.name]),
      [
        [1, { "rate-limited": 1 }, 1, "load"],
        [104, { "rate-limited": 104 }, 2, "load"],
        [1, { "rate-limited": 1 }, 1, "other"],
        [2, { "rate-limited": 2 }, 1, "other"],
      ],
    );
    assert.equal(reports[1]?.event.reason, "R124");
  });

  it("reports the error of the last event that failed", async () => {
    const reports: DroppedEvents[] = [];
    const { clock, troubles, recorder, stop } = setUp({ onDrops: (dropped) => reports.push(dropped) });
    const refused = new ForbiddenError(failure(403, "Forbidden"));
    troubles.push(refused);

    recorder.record(job, started);
    await clock.advance(0);
    await stop();

    assert.deepEqual(
      reports.map(({ count, causes, error }) => [count, causes, error]),
      [[1, { failed: 1 }, refused]],
    );
  });

  it("counts recorded, sent and dropped events", async () => {
    const registry = new Registry();
    const { clock, recorder, stop } = setUp({ meter: new EventMetrics(registry), burst: 1 });

    recorder.record(job, started);
    recorder.record(job, { ...started, reason: "Other" });
    await clock.advance(0);

    assert.match(registry.expose(), /^homeostat_events_recorded_total 2$/m);
    assert.match(registry.expose(), /^homeostat_events_sent_total 1$/m);
    assert.match(registry.expose(), /^homeostat_events_dropped_total\{reason="rate-limited"\} 1$/m);
    await stop();
  });

  it("respects its limits and reports every lost count, for any sequence of records and failures", async () => {
    const step = fc.record({
      object: fc.nat(5),
      reason: fc.nat(3),
      note: fc.nat(20),
      waitMs: fc.constantFrom(0, 0, 0, 100, 5_000, 60_000, 400_000),
      isDown: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
        const limits = { burst: 5, refillMs: 60_000, keysMax: 8, queueMax: 4, notesMax: 3 };
        const { clock, stored, drops, troubles, recorder, stop } = setUp(limits);

        for (const { object, reason, note, waitMs, isDown } of steps) {
          if (isDown) troubles.push(new ServiceUnavailableError(failure(503, "ServiceUnavailable")));
          const metadata = { name: `o${object}`, namespace: "shop" };
          recorder.record({ ...job, metadata }, { ...started, reason: `R${reason}`, note: `n${note}` });
          await clock.advance(waitMs);
          const { series, waiting } = recorder.size;
          assert.ok(series <= 8 && waiting <= 4);
        }
        troubles.length = 0;
        await stop();

        assert.equal(clock.pending, 0);
        assert.deepEqual(recorder.size.waiting, 0);
        const counted = [...stored.values()].reduce((sum, { series }) => sum + (series?.count ?? 1), 0);
        assert.ok(counted <= steps.length);
        if (drops.length === 0) assert.equal(counted, steps.length);
        for (let object = 0; object <= 5; object += 1) {
          const created = [...stored.values()].filter(({ regarding }) => regarding?.name === `o${object}`).length;
          assert.ok(created <= 5 + clock.monotonic() / 60_000);
        }
      }),
      { numRuns: 150 },
    );
  });
});
