// The operator's clock is wrong, or is set while a test runs. Times of the status and of observed objects are the API server's.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { OffsetClock, parseTime } from "@homeostat/core";
import { Event } from "@homeostat/kubernetes/core/v1";
import { clockSkews, clockToleranceMs, type SentRequest } from "@homeostat/operator-testing";
import { LocustTest, type LocustTestInput } from "../api/locust-test.ts";
import { annotations } from "../api/names.ts";
import { unreadTtlSecondsMin } from "../build/jobs.ts";
import { locustOperator } from "../operator.ts";
import { readSettings } from "../settings/settings.ts";
import { Bench, conditionOf } from "../testing/bench.ts";

for (const { name, offsetMs, stepMs } of clockSkews) {
  describe(`a test with an operator whose clock is ${name}`, () => {
    let bench: Bench;
    let clock: OffsetClock;
    before(async () => {
      bench = await Bench.start({ parts: "api" });
    });
    after(() => bench[Symbol.asyncDispose]());

    /** Creates a test `a` that runs. The operator stops with the test. */
    async function start(spec: Partial<LocustTestInput["spec"]> = {}) {
      const namespace = await bench.namespace();
      clock = new OffsetClock(bench.clock, offsetMs);
      bench.operatorClock = clock;
      const operator = await bench.run(namespace);
      await bench.create(namespace, "a", spec);
      await bench.phase(namespace, "a", "Running");
      return { namespace, operator, startedAt: bench.clock.now() };
    }

    it("fails for a wrong image after the startup grace of its pods, not before", async () => {
      const { namespace, operator, startedAt } = await start();
      await using _ = operator;
      const waiting = { reason: "ErrImagePull", message: "no such image" };
      await bench.pod(namespace, "a-worker", "w", {
        phase: "Pending",
        containerStatuses: [
          { name: "a-worker", ready: false, restartCount: 0, image: "", imageID: "", state: { waiting } },
        ],
      });
      await bench.pass(60_000);
      clock.jump(stepMs);
      await bench.pass(57_000);
      const early = await bench.get(namespace, "a");

      const test = await bench.phase(namespace, "a", "Failed");

      const tookMs = bench.clock.now() - startedAt;
      assert.equal(early.status?.phase, "Running");
      assert.match(conditionOf(test, "PodsHealthy") ?? "", /^False ImagePullError/);
      assert.ok(tookMs <= 125_000, `failed after ${tookMs} ms`);
    });

    it("ends after its timeoutSeconds, and records the API server's time", async () => {
      const createdAt = bench.clock.now();
      const { namespace, operator, startedAt } = await start({ timeoutSeconds: 30 });
      await using _ = operator;
      await bench.pass(10_000);
      clock.jump(stepMs);
      await bench.pass(17_000);
      const early = await bench.get(namespace, "a");

      const { status } = await bench.phase(namespace, "a", "Failed");
      const endedAt = bench.clock.now();
      await bench.pass(1_000);

      assert.equal(early.status?.phase, "Running");
      assert.ok(endedAt - startedAt <= 33_000, `ended after ${endedAt - startedAt} ms`);
      assertBetween(status?.startTime, createdAt, startedAt);
      assertBetween(status?.completionTime, endedAt, endedAt);
      for (const { lastTransitionTime } of status?.conditions ?? []) {
        assertBetween(lastTransitionTime, createdAt, endedAt);
      }
      const { items } = await bench.client.list(Event, { namespace });
      assert.ok(items.length >= 4);
      for (const { eventTime } of items) assertBetween(eventTime, createdAt, endedAt);
      const seconds = operator.metric("locust_operator_test_duration_seconds_sum", {}) ?? 0;
      assert.ok(seconds >= 28 && seconds <= 33, `the metric says ${seconds} s`);
    });

    it("is created after its Jobs were lost, and not repeated when they may have run and been removed by their TTL", async () => {
      const env = { JOB_TTL_SECONDS_AFTER_FINISHED: "60" };
      const isLost = ({ method, path }: SentRequest): boolean => method === "POST" && path.includes("/jobs");
      /** Creates a test whose Jobs are lost, and lets time pass without an operator. */
      const lose = async (awaySeconds: number): Promise<string> => {
        const namespace = await bench.namespace();
        bench.operatorClock = bench.clock;
        const first = await bench.run(namespace, { env, isLost });
        await bench.create(namespace, "a");
        await bench.until("a lost Job", async () => first.requests.some((sent) => /^POST .*\/jobs/.test(sent)));
        await first.stop();
        await bench.pass(awaySeconds * 1_000, 5);
        bench.operatorClock = new OffsetClock(bench.clock, offsetMs + stepMs);
        return namespace;
      };
      const soon = await lose(unreadTtlSecondsMin - 60);
      const second = await bench.run(soon, { env });
      const created = await bench.phase(soon, "a", "Running");
      await second.stop();

      const late = await lose(unreadTtlSecondsMin + 15);
      await using _ = await bench.run(late, { env });
      const notRepeated = await bench.phase(late, "a", "Failed");

      assert.equal(conditionOf(created, "TestCompleted"), "False TestInProgress: Test is running");
      assert.match(conditionOf(notRepeated, "TestCompleted") ?? "", /^True ResultUnavailable/);
    });

    it("is reconciled by an elected leader, also right after its clock was set", async () => {
      const namespace = await bench.namespace();
      clock = new OffsetClock(bench.clock, offsetMs);
      bench.operatorClock = clock;
      const { settings } = readSettings({ LIVE_STATS_ENABLED: "false" });
      await using _ = await bench.runOperator({
        operator: (random) => locustOperator({ settings, clock, random }),
        run: { leaderElect: true, namespace, watchNamespaces: [namespace] },
        isCounted: () => false,
      });
      await bench.create(namespace, "a");
      await bench.phase(namespace, "a", "Running");
      await bench.pass(5_000);
      clock.jump(stepMs);
      const steppedAt = bench.clock.now();

      await bench.create(namespace, "b");
      await bench.phase(namespace, "b", "Running");

      const tookMs = bench.clock.now() - steppedAt;
      assert.ok(tookMs <= 5_000, `reconciled after ${tookMs} ms`);
    });

    it("logs the difference once and exports it", async () => {
      const { namespace, operator } = await start();
      await using _ = operator;
      clock.jump(stepMs);
      await bench.create(namespace, "b");
      await bench.phase(namespace, "b", "Running");

      const lines = operator.lines.filter(({ message }) => message.startsWith("Local clock differs"));
      const exposed = /^homeostat_api_server_clock_offset_seconds (\S+)$/m.exec(operator.registry.expose())?.[1];

      const offsetSeconds = -(offsetMs + stepMs) / 1_000;
      assert.equal(lines.length, 1);
      assert.equal(lines[0]?.level, "warn");
      assert.ok(Math.abs(Number(lines[0]?.["offsetSeconds"]) - offsetSeconds) <= 1);
      assert.ok(Math.abs(Number(exposed) - offsetSeconds) <= 1, `the metric says ${exposed}`);
    });
  });

  describe(`a test with live statistics and an operator whose clock is ${name}`, () => {
    let bench: Bench;
    let clock: OffsetClock;
    before(async () => {
      bench = await Bench.start();
    });
    after(() => bench[Symbol.asyncDispose]());

    const env = { LIVE_STATS_ENABLED: "true", LIVE_STATS_ACCESS: "apiProxy" };

    async function start(
      spec: Partial<LocustTestInput["spec"]>,
      { failRatio = 0, isLost }: { failRatio?: number; isLost?: (sent: SentRequest) => boolean } = {},
    ) {
      const namespace = await bench.namespace();
      clock = new OffsetClock(bench.clock, offsetMs);
      bench.operatorClock = clock;
      const operator = await bench.run(namespace, { env, isLost });
      await bench.create(namespace, "a", {
        master: {
          command: "--locustfile /f.py --users 5 --spawn-rate 5 --run-time 30m",
          autoquit: { enabled: true, timeout: 2 },
          annotations: { "homeostat.dev/simulate": JSON.stringify({ options: { failRatio } }) },
        },
        ...spec,
      });
      return { namespace, operator };
    }

    it("is aborted when a threshold fails for its holdSeconds", async () => {
      const threshold = { metric: "failRatio", max: 0.1, abortOnFail: true, holdSeconds: 60 } as const;
      const { namespace, operator } = await start({ thresholds: [threshold] }, { failRatio: 0.5 });
      await using _ = operator;
      await bench.waitFor(namespace, "a", ({ status }) => status?.broken !== undefined);
      const brokenAt = bench.clock.now();
      await bench.pass(20_000);
      clock.jump(stepMs);

      const { status } = await bench.waitFor(namespace, "a", (test) => test.status?.stop !== undefined);

      const heldMs = bench.clock.now() - brokenAt;
      assert.equal(status?.stop?.trigger, "Threshold");
      assert.ok(heldMs >= 57_000 && heldMs <= 80_000, `aborted after ${heldMs} ms`);
    });

    it("shows how long it has run", async () => {
      const { namespace, operator } = await start({});
      await using _ = operator;
      await bench.waitFor(namespace, "a", ({ status }) => status?.progress?.state === "running");
      const runningAt = bench.clock.now();
      await bench.pass(40_000);
      clock.jump(stepMs);
      await bench.pass(40_000);

      const { status } = await bench.get(namespace, "a");

      const [, minutes = "0", seconds = "0"] = /^(?:(\d+)m)?(?:(\d+)s)?$/.exec(status?.progress?.duration ?? "") ?? [];
      const shown = Number(minutes) * 60 + Number(seconds);
      assert.ok(shown >= 55 && shown <= 85, `shown after 80 s: ${status?.progress?.duration}`);
      assertBetween(status?.progress?.lastUpdated, runningAt + 40_000, bench.clock.now());
    });

    it("is ended when its master does not stop in time", async () => {
      const isLost = ({ path }: SentRequest): boolean => path.includes("/proxy/stop");
      const { namespace, operator } = await start({}, { isLost });
      await using _ = operator;
      await bench.waitFor(namespace, "a", ({ status }) => status?.progress?.state === "running");
      const merge = { metadata: { annotations: { [annotations.stop]: "enough" } } };
      await bench.client.patch(LocustTest, { namespace, name: "a" }, { merge });
      const { status } = await bench.waitFor(namespace, "a", (test) => test.status?.stop !== undefined);
      const requestedAt = bench.clock.now();
      await bench.pass(30_000);
      clock.jump(stepMs);
      await bench.pass(40_000);
      const early = await bench.get(namespace, "a");

      await bench.phase(namespace, "a", "Failed");

      const tookMs = bench.clock.now() - requestedAt;
      assertBetween(status?.stop?.requestedAt, requestedAt, requestedAt);
      assert.equal(early.status?.phase, "Running");
      assert.ok(tookMs <= 82_000, `ended after ${tookMs} ms`);
    });
  });
}

function assertBetween(text: string | undefined, from: number, to: number): void {
  const time = parseTime(text ?? "");
  const isBetween = time >= from - clockToleranceMs && time <= to + clockToleranceMs;
  assert.ok(isBetween, `${text} is not between ${new Date(from).toISOString()} and ${new Date(to).toISOString()}`);
}
