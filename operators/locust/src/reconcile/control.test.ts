import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Bench, conditionOf, testNamed } from "../testing/bench.ts";
import { LocustTest } from "../api/locust-test.ts";
import { annotations } from "../api/names.ts";

describe("a test that is controlled by annotations", () => {
  let bench: Bench;
  before(async () => {
    bench = await Bench.start({ parts: "api" });
  });
  after(() => bench[Symbol.asyncDispose]());

  async function annotate(namespace: string, given: Readonly<Record<string, string>>): Promise<void> {
    await bench.client.patch(LocustTest, { namespace, name: "a" }, { merge: { metadata: { annotations: given } } });
  }

  it("ends when it is stopped: its Jobs are ended and kept, and the result is reported", async () => {
    const namespace = await bench.namespace();
    await using operator = await bench.run(namespace);
    await bench.create(namespace, "a");
    await bench.phase(namespace, "a", "Running");

    await annotate(namespace, { [annotations.stop]: "enough" });
    const test = await bench.phase(namespace, "a", "Failed");
    for (const name of ["a-worker", "a-master"]) await bench.endJob(namespace, name, "Failed", "DeadlineExceeded");
    await bench.pass(3_000);

    assert.equal(conditionOf(test, "TestCompleted"), "True TestAborted: Test failed: stopped on request: enough");
    assert.equal(test.status?.result?.outcome, "Aborted");
    assert.equal(test.status?.stop?.trigger, "Annotation");
    for (const name of ["a-master", "a-worker"]) {
      assert.equal((await bench.job(namespace, name)).spec?.activeDeadlineSeconds, 1);
    }
    const events = await bench.events(namespace, "a");
    assert.deepEqual(events.slice(4), [
      "Normal StopRequested: Stopping the load test: enough",
      "Normal TestStopped: Load test stopped before its statistics could be read",
      "Warning TestFailed: Load test execution failed: stopped on request: enough",
    ]);
    const patches = operator.writes().filter((write) => write.startsWith("PATCH jobs"));
    assert.deepEqual(patches, ["PATCH jobs/a-worker", "PATCH jobs/a-master"]);
  });

  it("ends immediately and deletes its objects when it is stopped before it runs", async () => {
    const namespace = await bench.namespace();
    const input = LocustTest.default(testNamed(namespace, "a"));
    await bench.client.create(LocustTest, {
      ...input,
      metadata: { namespace, name: "a", annotations: { [annotations.stop]: "never mind" } },
    });
    await using _ = await bench.run(namespace);

    const test = await bench.phase(namespace, "a", "Failed");

    assert.equal(conditionOf(test, "TestCompleted"), "True TestAborted: Test failed: stopped on request: never mind");
    assert.deepEqual(await bench.objects(namespace), []);
  });

  it("ends at timeoutSeconds", async () => {
    const namespace = await bench.namespace();
    await using _ = await bench.run(namespace);
    await bench.create(namespace, "a", { timeoutSeconds: 30 });
    await bench.phase(namespace, "a", "Running");
    await bench.pass(20_000);
    const early = await bench.get(namespace, "a");

    const test = await bench.phase(namespace, "a", "Failed");

    assert.equal(early.status?.phase, "Running");
    assert.match(
      conditionOf(test, "TestCompleted") ?? "",
      /^True DeadlineExceeded: Test failed: exceeded timeoutSeconds \(30 s\)/,
    );
  });

  it("reruns with the current spec and keeps the history", async () => {
    const namespace = await bench.namespace();
    await using operator = await bench.run(namespace);
    await bench.create(namespace, "a");
    await bench.phase(namespace, "a", "Running");
    await annotate(namespace, { [annotations.stop]: "enough" });
    const first = await bench.phase(namespace, "a", "Failed");
    await bench.client.patch(LocustTest, { namespace, name: "a" }, { merge: { spec: { worker: { replicas: 3 } } } });
    await bench.waitFor(namespace, "a", (test) => conditionOf(test, "SpecDrifted") !== undefined);

    await annotate(namespace, { [annotations.rerun]: "one" });
    const test = await bench.waitFor(namespace, "a", ({ status }) => status?.run === 2 && status.phase === "Running");
    await bench.pass(3_000);

    assert.equal(conditionOf(test, "SpecDrifted"), undefined);
    assert.equal(test.status?.startedGeneration, 2);
    assert.equal(test.status?.expectedWorkers, 3);
    assert.equal(test.status?.lastRerunToken, "one");
    assert.equal(test.status?.completionTime, undefined);
    assert.deepEqual(
      test.status?.history?.map(({ run, phase, outcome }) => [run, phase, outcome]),
      [[1, "Failed", "Aborted"]],
    );
    assert.notEqual(test.status?.masterJobUID, first.status?.masterJobUID);
    assert.equal((await bench.job(namespace, "a-worker")).spec?.parallelism, 3);
    assert.equal(operator.writes().filter((write) => write === "POST services").length, 1);
    // The stop annotation of the first run must not stop the second.
    assert.equal((await bench.get(namespace, "a")).status?.phase, "Running");
  });

  it("refuses a rerun while it runs, with one event, and does not rerun later", async () => {
    const namespace = await bench.namespace();
    await using _ = await bench.run(namespace);
    await bench.create(namespace, "a");
    await bench.phase(namespace, "a", "Running");

    await annotate(namespace, { [annotations.rerun]: "now" });
    await bench.waitFor(namespace, "a", ({ status }) => status?.lastRerunToken === "now");
    await bench.endJob(namespace, "a-master", "Complete");
    const test = await bench.phase(namespace, "a", "Succeeded");
    await bench.pass(5_000);

    assert.equal((await bench.get(namespace, "a")).status?.run, 1);
    assert.equal(test.status?.phase, "Succeeded");
    const events = await bench.events(namespace, "a");
    assert.equal(events.filter((event) => event.startsWith("Warning RerunRefused")).length, 1);
  });
});
