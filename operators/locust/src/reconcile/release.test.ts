import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { Bench } from "../testing/bench.ts";
import { LocustTest } from "../api/locust-test.ts";
import { annotations } from "../api/names.ts";

const day = 86_400;

/** Returns the TTL and the TTL annotation of the two Jobs. */
async function ttls(bench: Bench, namespace: string): Promise<unknown[]> {
  const jobs = [await bench.job(namespace, "a-master"), await bench.job(namespace, "a-worker")];
  return jobs.flatMap(({ spec, metadata }) => [spec.ttlSecondsAfterFinished, metadata.annotations?.[annotations.ttl]]);
}

describe("Jobs with a short TTL", () => {
  let bench: Bench;
  before(async () => {
    bench = await Bench.start({ parts: "api" });
  });
  after(() => bench[Symbol.asyncDispose]());

  it("have a TTL of a day until their result is recorded, and then their own", async () => {
    const namespace = await bench.namespace();
    await using operator = await bench.run(namespace);
    await bench.create(namespace, "a", { ttlSecondsAfterFinished: 7 });
    await bench.phase(namespace, "a", "Running");
    const running = await ttls(bench, namespace);

    await bench.endJob(namespace, "a-worker", "Complete");
    await bench.endJob(namespace, "a-master", "Complete");
    await bench.phase(namespace, "a", "Succeeded");
    await bench.pass(2_000);

    assert.deepEqual(running, [day, "7", day, "7"]);
    assert.deepEqual(await ttls(bench, namespace), [7, undefined, 7, undefined]);
    const writes = operator.writes();
    assert.deepEqual(writes.slice(-3), ["PATCH locusttests/a/status", "PATCH jobs/a-worker", "PATCH jobs/a-master"]);
  });

  it("get their own TTL from the annotation after a crash between the two writes", async () => {
    const namespace = await bench.namespace();
    await bench.create(namespace, "a", { ttlSecondsAfterFinished: 7 });
    {
      await using _ = await bench.run(namespace, {
        isLost: ({ method, path }) => method === "PATCH" && path.includes("/jobs/"),
      });
      await bench.phase(namespace, "a", "Running");
      await bench.endJob(namespace, "a-worker", "Complete");
      await bench.endJob(namespace, "a-master", "Complete");
      await bench.phase(namespace, "a", "Succeeded");
    }
    const merge = { spec: { ttlSecondsAfterFinished: 9 } };
    await bench.client.patch(LocustTest, { namespace, name: "a" }, { merge });

    await using _ = await bench.run(namespace);
    await bench.until(
      "the TTL",
      async () => (await bench.job(namespace, "a-master")).spec.ttlSecondsAfterFinished === 7,
    );
  });

  it("keep a TTL of a day until they have ended, also if their test has failed", async () => {
    const namespace = await bench.namespace();
    await using _ = await bench.run(namespace);
    await bench.create(namespace, "a", { ttlSecondsAfterFinished: 0 });
    await bench.phase(namespace, "a", "Running");
    await bench.endJob(namespace, "a-worker", "Failed");
    await bench.phase(namespace, "a", "Failed");
    await bench.pass(2_000);
    const before = await ttls(bench, namespace);

    await bench.endJob(namespace, "a-master", "Failed");
    await bench.until(
      "the TTL",
      async () => (await bench.job(namespace, "a-master")).spec.ttlSecondsAfterFinished === 0,
    );

    assert.deepEqual(before, [day, "0", 0, undefined]);
  });

  it("are not changed after a user has changed their TTL", async () => {
    const namespace = await bench.namespace();
    await using operator = await bench.run(namespace);
    await bench.create(namespace, "a", { ttlSecondsAfterFinished: 7 });
    await bench.phase(namespace, "a", "Running");
    await bench.endJob(namespace, "a-worker", "Complete");
    await bench.endJob(namespace, "a-master", "Complete");
    await bench.until(
      "the TTL",
      async () => (await bench.job(namespace, "a-master")).spec.ttlSecondsAfterFinished === 7,
    );
    const count = operator.writes().length;

    const merge = { spec: { ttlSecondsAfterFinished: 1_000_000 } };
    await bench.client.patch(Job, { namespace, name: "a-master" }, { merge });
    await bench.pass(5_000);

    assert.deepEqual(operator.writes().slice(count), []);
    assert.equal((await bench.job(namespace, "a-master")).spec.ttlSecondsAfterFinished, 1_000_000);
  });

  it("have the TTL of their test from the start if it is a day or more", async () => {
    const namespace = await bench.namespace();
    await using _ = await bench.run(namespace);
    await bench.create(namespace, "a", { ttlSecondsAfterFinished: day });
    await bench.phase(namespace, "a", "Running");

    assert.deepEqual(await ttls(bench, namespace), [day, undefined, day, undefined]);
  });
});

describe("a cluster with a TTL controller", () => {
  it("removes Jobs with a TTL of 0 after their result is recorded, exit code included", async () => {
    await using bench = await Bench.start();
    const namespace = await bench.namespace();
    await using _ = await bench.run(namespace, { env: { JOB_TTL_SECONDS_AFTER_FINISHED: "0" } });
    await bench.create(namespace, "a");

    const test = await bench.phase(namespace, "a", "Succeeded");
    await bench.until("the removal of the Jobs", async () => {
      const { items } = await bench.client.list(Job, { namespace });
      return items.length === 0;
    });

    assert.equal(test.status?.result?.masterExitCode, 0);
    await bench.pass(60_000);
    assert.equal((await bench.get(namespace, "a")).status?.phase, "Succeeded");
  });
});
