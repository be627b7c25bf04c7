import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { parseTime } from "@homeostat/core";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { Bench, conditionOf } from "../testing/bench.ts";
import type { LocustTestInput } from "../api/locust-test.ts";

describe("the progress of a test on a cluster", () => {
  let bench: Bench;
  before(async () => {
    bench = await Bench.start();
  });
  after(() => bench[Symbol.asyncDispose]());

  it("keeps the peak number of users when the operator is down for the rest of the run", async () => {
    const namespace = await bench.namespace();
    const first = await bench.run(namespace, { env });
    await bench.create(namespace, "a", runOf({ runTime: "20s", quitSeconds: 60 }));
    await bench.waitFor(namespace, "a", ({ status }) => status?.progress?.peakUsers === 5);
    await first.stop();
    await bench.pass(25_000);

    await using _ = await bench.run(namespace, { env });
    const test = await bench.phase(namespace, "a", "Succeeded");

    assert.equal(test.status?.progress?.currentUsers, 0);
    assert.equal(test.status?.result?.peakUsers, 5);
  });

  it("does not count workers as missing that exit after the run and before the master", async () => {
    const namespace = await bench.namespace();
    await using _ = await bench.run(namespace, { env });
    await bench.create(namespace, "a", {
      ...runOf({ runTime: "20s", quitSeconds: 60 }),
      thresholds: [{ metric: "missingWorkers", max: 0 }],
    });
    await bench.waitFor(namespace, "a", ({ status }) => status?.progress?.state === "stopped");
    await bench.client.patch(Job, { name: "a-worker", namespace }, { merge: { spec: { parallelism: 0 } } });
    await bench.waitFor(namespace, "a", ({ status }) => status?.workers?.ready === 0);

    const { status } = await bench.phase(namespace, "a", "Succeeded");

    assert.deepEqual(
      status?.result?.thresholds?.map(({ actual, passed }) => [actual, passed]),
      [[0, true]],
    );
    assert.equal(status?.connectedWorkers, 2);
  });

  it("counts workers as missing that were lost during the run, and each process that never connected", async () => {
    const namespace = await bench.namespace();
    await using _ = await bench.run(namespace, { env });
    const spec = {
      ...runOf({ runTime: "40s", quitSeconds: 60 }),
      thresholds: [{ metric: "missingWorkers", max: 0 } as const],
    };
    await bench.create(namespace, "lost", spec);
    // The simulated worker is a single process and ignores --processes.
    await bench.create(namespace, "many", {
      ...spec,
      worker: { command: "--locustfile /f.py --processes 2", replicas: 2 },
    });
    await bench.waitFor(namespace, "lost", ({ status }) => status?.progress?.state === "running");
    await bench.client.patch(Job, { name: "lost-worker", namespace }, { merge: { spec: { parallelism: 1 } } });

    const lost = await bench.phase(namespace, "lost", "Failed");
    const many = await bench.phase(namespace, "many", "Failed");

    const failed = (actual: number): string =>
      `True ThresholdsFailed: Test failed: missingWorkers is ${actual}, limit is max 0`;
    assert.equal(conditionOf(lost, "TestCompleted"), failed(1));
    assert.equal(conditionOf(many, "TestCompleted"), failed(2));
  });

  it("continues the hold period of a threshold after a change of the operator process", async () => {
    const namespace = await bench.namespace();
    const first = await bench.run(namespace, { env });
    const threshold = { metric: "failRatio", max: 0.1, abortOnFail: true, holdSeconds: 30 } as const;
    await bench.create(namespace, "a", {
      ...runOf({ runTime: "30m", quitSeconds: 60, failRatio: 0.5 }),
      thresholds: [threshold],
    });
    const broken = await bench.waitFor(namespace, "a", ({ status }) => status?.broken !== undefined);
    await bench.pass(15_000);
    await first.stop();

    await using _ = await bench.run(namespace, { env });
    const { status } = await bench.phase(namespace, "a", "Failed");

    const [remembered] = broken.status?.broken ?? [];
    const heldMs = parseTime(status?.stop?.requestedAt ?? "") - parseTime(remembered?.since ?? "");
    assert.equal(remembered?.threshold, "failRatio of Aggregated, max 0.1");
    assert.equal(status?.stop?.trigger, "Threshold");
    assert.ok(heldMs >= 29_000 && heldMs < 40_000, `it was ended after ${heldMs} ms`);
    assert.equal(status?.broken, undefined, "and then there is nothing left to count");
  });
});

const env = { LIVE_STATS_ENABLED: "true" };

/** A test with five users, some of whose requests fail. */
function runOf({
  runTime,
  quitSeconds,
  failRatio = 0,
}: {
  readonly runTime: string;
  readonly quitSeconds: number;
  readonly failRatio?: number;
}): Pick<LocustTestInput["spec"], "master"> {
  return {
    master: {
      command: `--locustfile /f.py --users 5 --spawn-rate 5 --run-time ${runTime}`,
      autoquit: { enabled: true, timeout: quitSeconds },
      annotations: { "homeostat.dev/simulate": JSON.stringify({ options: { failRatio } }) },
    },
  };
}
