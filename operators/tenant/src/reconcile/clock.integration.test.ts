// The operator's clock is wrong, or is set while something is timed. Times of the status and of observed objects are the API server's.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { formatTime, OffsetClock, parseTime } from "@homeostat/core";
import { ConfigMap, Event, Secret } from "@homeostat/kubernetes/core/v1";
import { clockSkews, clockToleranceMs, type RunningOperator } from "@homeostat/operator-testing";
import { annotations } from "../api/identity.ts";
import { Tenant } from "../api/tenant.ts";
import { Bench, conditionOf } from "../testing/bench.ts";

const [minuteMs, hourMs] = [60_000, 3_600_000];

for (const { name, offsetMs, stepMs } of clockSkews) {
  describe(`a tenant with an operator whose clock is ${name}`, () => {
    let bench: Bench;
    let clock: OffsetClock;
    let operator: RunningOperator;
    before(async () => {
      bench = await Bench.start();
      clock = new OffsetClock(bench.clock, offsetMs);
      bench.operatorClock = clock;
      operator = await bench.run();
    });
    after(async () => {
      await operator.stop();
      await bench[Symbol.asyncDispose]();
    });

    it("runs, hibernates and resumes, and records the API server's time", async () => {
      const createdAt = bench.clock.now();
      await bench.create("nap");
      await bench.running("nap");
      const runningAt = bench.clock.now();
      await bench.pass(minuteMs);
      clock.jump(stepMs);
      await bench.change("nap", { hibernation: { enabled: true } });
      const asleep = await bench.phase("nap", "Hibernated");
      const asleepAt = bench.clock.now();
      await bench.change("nap", { hibernation: { enabled: false } });
      const { status } = await bench.running("nap");
      const endedAt = bench.clock.now();
      await bench.pass(1_000);
      clock.jump(-stepMs);

      assertBetween(asleep.status?.lastTransitionTime, runningAt + minuteMs, asleepAt);
      assertBetween(status?.lastTransitionTime, asleepAt, endedAt);
      for (const { lastTransitionTime } of status?.conditions ?? []) {
        assertBetween(lastTransitionTime, createdAt, endedAt);
      }
      const { items } = await bench.client.list(Event, { namespace: "default" });
      const own = items.filter(({ involvedObject }) => involvedObject.kind === "Tenant");
      assert.ok(own.length >= 3);
      for (const { eventTime } of own) assertBetween(eventTime, createdAt, endedAt);
    });

    it("reports a namespace that is stuck ten minutes after its deletion, not before", async () => {
      await bench.create("slow");
      await bench.running("slow");
      const held = { namespace: "tenant-slow", name: "held", finalizers: ["example.com/hold"] };
      await bench.client.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata: held });
      await bench.client.delete(Tenant, { name: "slow" });
      await bench.waitFor("slow", ({ status }) => /hold/.test(status?.message ?? ""), "the blocking finalizer");
      const deletedAt = bench.clock.now();
      await bench.pass(5 * minuteMs, 20);
      clock.jump(stepMs);
      await bench.pass(4 * minuteMs, 20);
      const waiting = await bench.get("slow");

      await bench.waitFor("slow", (tenant) => conditionOf(tenant, "Terminating")?.includes("NamespaceStuck") ?? false);

      const tookMs = bench.clock.now() - deletedAt;
      await bench.client.patch(ConfigMap, held, { merge: { metadata: { finalizers: null } } });
      await bench.untilDeleted("slow");
      clock.jump(-stepMs);
      assert.match(conditionOf(waiting, "Terminating") ?? "", /^True WaitingForNamespace/);
      assert.ok(tookMs <= 12 * minuteMs, `reported after ${tookMs} ms`);
    });
  });

  describe(`the password of a tenant with an operator whose clock is ${name}`, () => {
    it("is rotated after its interval, counted by the API server's time", async () => {
      await using bench = await Bench.start({ parts: "api" });
      const first = await bench.run();
      await bench.create("acme", { redis: { security: { rotation: { interval: "24h" } } } });
      await bench.phase("acme", "Provisioning");
      await first.stop();
      // As if the password were almost a day old.
      const dueAt = bench.clock.now() + 30 * minuteMs;
      const rotatedAt = formatTime(dueAt - 24 * hourMs);
      const merge = { metadata: { annotations: { [annotations.rotatedAt]: rotatedAt } } };
      await bench.client.patch(Secret, { namespace: "tenant-acme", name: "acme-redis-auth" }, { merge });
      const clock = new OffsetClock(bench.clock, offsetMs);
      bench.operatorClock = clock;
      await using operator = await bench.run();
      await bench.pass(10 * minuteMs);
      clock.jump(stepMs);
      await bench.annotate("acme", annotations.reconcileAt, "1");
      await bench.pass(15 * minuteMs);
      const before = await stepOf(bench);
      const age = operator.metric("neurallog_tenant_rotation_age_seconds", { tenant: "acme" }) ?? 0;
      const expectedAge = (bench.clock.now() - parseTime(rotatedAt)) / 1_000;

      await bench.until("the rotation", async () => (await stepOf(bench)) === "overlap");

      const lateMs = bench.clock.now() - dueAt;
      assert.equal(before, "done");
      assert.ok(Math.abs(age - expectedAge) <= 2, `the metric says ${age} s, not ${expectedAge} s`);
      assert.ok(lateMs >= -clockToleranceMs && lateMs <= 2 * minuteMs, `rotated ${lateMs} ms late`);
    });
  });
}

async function stepOf(bench: Bench): Promise<string | undefined> {
  const { metadata } = await bench.object(Secret, "tenant-acme", "acme-redis-auth");
  return metadata.annotations?.[annotations.rotationStep];
}

function assertBetween(text: string | undefined, from: number, to: number): void {
  const time = parseTime(text ?? "");
  const isBetween = time >= from - clockToleranceMs && time <= to + clockToleranceMs;
  assert.ok(isBetween, `${text} is not between ${new Date(from).toISOString()} and ${new Date(to).toISOString()}`);
}
