import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { managed } from "../kinds/kinds.ts";
import { Controller, Widget } from "../testing/managed-bench.ts";
import type { FakeApi } from "../testing/writes-api.ts";
import { apiWithBox, ConfigMap, otherClient, settled } from "../testing/writes-bench.ts";
import { desired } from "./desired.ts";
import type { SyncOptions } from "./managed-objects.ts";
import { ReapplySchedule } from "./reapply.ts";

const hourMs = 3_600_000;
const minuteMs = 60_000;

describe("ReapplySchedule", () => {
  const objects = Array.from({ length: 200 }, (_none, index) => `ConfigMap default/${index}`);

  /** Returns the minutes at which each object is due, if its owner is synced every minute. */
  function dueMinutes(hours: number, intervalMs = hourMs): ReadonlyMap<string, readonly number[]> {
    const schedule = new ReapplySchedule();
    const due = new Map<string, number[]>(objects.map((object) => [object, []]));
    for (let minute = 0; minute <= hours * 60; minute += 1) {
      const time = { intervalMs, nowMs: 1_800_000_000_000 + minute * minuteMs };
      const isDue = schedule.dueOf("owner", time);
      for (const object of objects) if (isDue(object)) due.get(object)?.push(minute);
      schedule.done("owner", time);
    }
    return due;
  }

  it("names every object once per interval, and spreads them over it", () => {
    const due = dueMinutes(3);

    const perMinute = new Map<number, number>();
    for (const [object, minutes] of due) {
      assert.equal(minutes.length, 3, object);
      for (const minute of minutes) perMinute.set(minute, (perMinute.get(minute) ?? 0) + 1);
    }
    assert.ok(Math.max(...perMinute.values()) < 20, "at most a tenth of the objects in one minute");
  });

  it("names no object at the first sync, nor if the interval is 0", () => {
    const schedule = new ReapplySchedule();
    const isDue = schedule.dueOf("owner", { intervalMs: 1, nowMs: 1_800_000_000_000 });

    assert.deepEqual(objects.filter(isDue), []);
    assert.ok([...dueMinutes(3, 0).values()].every((minutes) => minutes.length === 0));
  });

  it("names an object again until its apply is recorded", () => {
    const schedule = new ReapplySchedule();
    const at = (hours: number) => ({ intervalMs: hourMs, nowMs: 1_800_000_000_000 + hours * hourMs });
    schedule.dueOf("owner", at(0));

    assert.ok(objects.every(schedule.dueOf("owner", at(1))));
    assert.ok(objects.every(schedule.dueOf("owner", at(1))));
    schedule.done("owner", at(1));
    assert.ok(!objects.some(schedule.dueOf("owner", at(1))));
  });

  it("returns the time of the next due object, before which none is due", () => {
    const schedule = new ReapplySchedule();
    const nowMs = 1_800_000_000_000;
    schedule.done("owner", { intervalMs: hourMs, nowMs });

    const next = schedule.nextDueMs(objects, { intervalMs: hourMs, nowMs });

    assert.ok(next > nowMs && next < nowMs + hourMs);
    assert.ok(!objects.some(schedule.dueOf("owner", { intervalMs: hourMs, nowMs: next })));
    assert.ok(objects.some(schedule.dueOf("owner", { intervalMs: hourMs, nowMs: next + 1 })));
    assert.equal(schedule.nextDueMs(objects, { intervalMs: 0, nowMs }), Infinity);
  });

  it("starts again after the clock was set back", () => {
    const schedule = new ReapplySchedule();
    schedule.done("owner", { intervalMs: hourMs, nowMs: 1_800_000_000_000 });
    schedule.dueOf("owner", { intervalMs: hourMs, nowMs: 1_700_000_000_000 });

    const isDue = schedule.dueOf("owner", { intervalMs: hourMs, nowMs: 1_700_000_000_000 + hourMs });

    assert.ok(objects.every(isDue));
  });
});

describe("a periodic apply", () => {
  const key = { namespace: "default", name: "w" };

  /** Syncs a widget whose color is not compared. */
  async function sync(controller: Controller, options: SyncOptions = {}): Promise<readonly unknown[]> {
    const object = desired(Widget, { metadata: { name: "w" }, spec: { size: "s", color: "red" } });
    const tiers = [{ name: "all", objects: [object] }];
    const { outcomes } = await settled(
      controller.clock,
      controller.reconcile().sync(tiers, { reapplyMs: hourMs, ...options }),
    );
    return [...outcomes.values()].map((outcome) => ("drift" in outcome ? outcome.drift : outcome.result));
  }

  async function start(): Promise<{ api: FakeApi; controller: Controller }> {
    const api = await apiWithBox();
    const controller = new Controller(api, {
      kinds: [managed(ConfigMap), managed(Widget, { ignore: ["spec.color"] })],
    });
    await sync(controller);
    api.requests.length = 0;
    return { api, controller };
  }

  it("reverts a change that the comparison cannot see, and reports it as drift", async () => {
    const { api, controller } = await start();
    await otherClient(api).patch(Widget, key, { merge: { spec: { color: "blue" } } });
    controller.sync();

    const before = await sync(controller);
    await controller.clock.advance(hourMs);
    const after = await sync(controller);

    assert.deepEqual(before, ["unchanged"]);
    assert.deepEqual(after, [{ fields: ["spec.color"], managers: ["other-client"], wasDeleted: false }]);
    assert.deepEqual(api.read("widgets", "default/w")?.["spec"], { size: "s", color: "red" });
    assert.deepEqual(
      controller.reports.map(({ type }) => type),
      ["drift"],
    );
  });

  it("changes nothing in an object without drift, once its fields are those of an apply", async () => {
    const { api, controller } = await start();
    await controller.clock.advance(hourMs);
    await sync(controller);
    const version = api.read("widgets", "default/w")?.metadata.resourceVersion;
    api.requests.length = 0;

    await controller.clock.advance(hourMs);
    const outcome = await sync(controller);

    assert.deepEqual(outcome, ["unchanged"]);
    assert.deepEqual(api.requests, ["GET widgets default/w", "PATCH widgets default/w"]);
    assert.equal(api.read("widgets", "default/w")?.metadata.resourceVersion, version);
    assert.deepEqual(controller.reports, []);
  });

  it("is not sent twice in an interval, nor if it is off", async () => {
    const { api, controller } = await start();
    await controller.clock.advance(hourMs);
    await sync(controller);
    api.requests.length = 0;

    await sync(controller);
    await controller.clock.advance(2 * hourMs);
    await sync(controller, { reapplyMs: 0 });

    assert.deepEqual(api.requests, []);
  });

  it("is repeated by the next sync if it fails", async () => {
    const { api, controller } = await start();
    await controller.clock.advance(hourMs);
    api.fault = (number) => (number === 1 ? "failed before" : undefined);
    const failed = await sync(controller);
    api.fault = () => undefined;
    api.requests.length = 0;

    const repeated = await sync(controller);

    assert.deepEqual([failed, repeated], [["failed"], ["unchanged"]]);
    assert.ok(api.requests.includes("PATCH widgets default/w"));
  });
});
