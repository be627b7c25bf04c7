import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { Namespace, ResourceQuota, Service } from "@homeostat/kubernetes/core/v1";
import { Bench, conditionOf } from "../testing/bench.ts";
import { LocustTest } from "../api/locust-test.ts";
import { masterService } from "../build/services.ts";
import { readSettings } from "../settings/settings.ts";

describe("the creation of a test's objects", () => {
  let bench: Bench;
  before(async () => {
    bench = await Bench.start({ parts: "api" });
  });
  after(() => bench[Symbol.asyncDispose]());

  it("creates a Service and two Jobs in this order, with six requests, and sets the phase Running", async () => {
    const namespace = await bench.namespace();
    await using operator = await bench.run(namespace);
    const { metadata } = await bench.create(namespace, "a");

    const test = await bench.phase(namespace, "a", "Running");
    await bench.pass(2_000);

    assert.deepEqual(operator.writes(), [
      "PATCH locusttests/a",
      "PATCH locusttests/a/status",
      "POST services",
      "POST jobs",
      "POST jobs",
      "PATCH locusttests/a/status",
    ]);
    assert.equal(operator.sent.filter(({ method }) => method === "GET").length, 0);
    assert.deepEqual(await bench.objects(namespace), ["Service a-master", "Job a-master", "Job a-worker"]);
    assert.equal(conditionOf(test, "Ready"), "True ResourcesCreated: All resources created");
    assert.equal(conditionOf(test, "TestCompleted"), "False TestInProgress: Test is running");
    assert.equal(conditionOf(test, "WorkersConnected"), "False WaitingForWorkers: Waiting for workers to connect");
    assert.equal(conditionOf(test, "PodsHealthy"), "True PodsStarting: Waiting for pods to start");
    const { startedGeneration, observedGeneration, masterJobUID, workerJobUID, startTime, run } = test.status ?? {};
    assert.deepEqual([startedGeneration, observedGeneration, run], [1, 1, 1]);
    assert.notEqual(startTime, undefined);
    const jobs = [await bench.job(namespace, "a-master"), await bench.job(namespace, "a-worker")];
    assert.deepEqual(
      [masterJobUID, workerJobUID],
      jobs.map((job) => job.metadata.uid),
    );
    for (const job of jobs) {
      assert.deepEqual(job.metadata.ownerReferences, [
        {
          apiVersion: "locust.io/v2",
          kind: "LocustTest",
          name: "a",
          uid: metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ]);
    }
    assert.deepEqual(await bench.events(namespace, "a"), [
      "Normal Created: Created Service a-master",
      "Normal Created: Created Job a-master",
      "Normal Created: Created Job a-worker",
      "Normal TestStarted: Load test execution started",
    ]);
  });

  it("adds the finalizer by a patch that changes nothing else", async () => {
    const namespace = await bench.namespace();
    await using operator = await bench.run(namespace);
    const before = await bench.create(namespace, "a");

    const test = await bench.phase(namespace, "a", "Running");

    const [patch] = operator.sent;
    const operations: readonly { readonly op: string; readonly path: string }[] = JSON.parse(patch?.body ?? "[]");
    assert.deepEqual(test.metadata.finalizers, ["locust.io/cleanup"]);
    assert.deepEqual(
      operations.map(({ op, path }) => `${op} ${path}`),
      ["test /metadata/uid", "test /metadata/resourceVersion", "add /metadata/finalizers"],
    );
    assert.equal(JSON.stringify(test.spec), JSON.stringify(before.spec));
  });

  it("creates nothing for a test that is deleted before its first reconcile", async () => {
    const namespace = await bench.namespace();
    await bench.create(namespace, "a");
    await bench.client.delete(LocustTest, { namespace, name: "a" });
    await using operator = await bench.run(namespace);

    await bench.pass(2_000);

    assert.deepEqual(operator.writes(), []);
    assert.deepEqual(
      operator.lines.filter(({ level }) => level === "error"),
      [],
    );
  });

  it("writes nothing in a second reconcile", async () => {
    const namespace = await bench.namespace();
    await using operator = await bench.run(namespace);
    await bench.create(namespace, "a");
    await bench.phase(namespace, "a", "Running");
    await bench.setJob(namespace, "a-master", { active: 1 });
    await bench.setJob(namespace, "a-worker", { active: 2 });
    await bench.waitFor(namespace, "a", ({ status }) => status?.connectedWorkers === 2);
    await bench.pass(130_000);
    const settled = operator.writes().length;

    for (const mark of ["1", "2"]) {
      await bench.client.patch(Job, { namespace, name: "a-master" }, { merge: { metadata: { labels: { mark } } } });
      await bench.pass(1_000);
    }

    assert.deepEqual(operator.writes().slice(settled), []);
  });

  it("continues with an existing Service that the test owns", async () => {
    const namespace = await bench.namespace();
    const test = await bench.create(namespace, "a");
    const { settings } = readSettings({});
    await bench.client.create(Service, masterService({ test, settings, run: 1 }));
    await bench.client.patch(
      LocustTest,
      { namespace, name: "a" },
      { merge: { status: { phase: "Pending" } } },
      { subresource: "status" },
    );
    await using operator = await bench.run(namespace);

    await bench.phase(namespace, "a", "Running");

    assert.deepEqual(await bench.objects(namespace), ["Service a-master", "Job a-master", "Job a-worker"]);
    assert.equal(operator.writes().filter((write) => write === "POST services").length, 0);
    assert.ok(operator.lines.some(({ message, kind }) => message === "Resource already exists" && kind === "Service"));
  });

  it("reports why an object could not be created, retries, and does not create the others twice", async () => {
    const namespace = await bench.namespace();
    await using operator = await bench.run(namespace);
    const quota = { apiVersion: "v1", kind: "ResourceQuota", metadata: { namespace, name: "q" } } as const;
    await bench.client.create(ResourceQuota, { ...quota, spec: { hard: { "count/jobs.batch": "0" } } });
    await bench.client.patch(
      ResourceQuota,
      { namespace, name: "q" },
      { merge: { status: { hard: { "count/jobs.batch": "0" }, used: { "count/jobs.batch": "0" } } } },
      { subresource: "status" },
    );
    await bench.create(namespace, "a");

    const failed = await bench.waitFor(
      namespace,
      "a",
      (test) => conditionOf(test, "Ready")?.startsWith("False ResourcesFailed") === true,
    );
    await bench.client.delete(ResourceQuota, { namespace, name: "q" });
    const test = await bench.phase(namespace, "a", "Running");

    assert.match(conditionOf(failed, "Ready") ?? "", /exceeded quota: q/);
    assert.equal(failed.status?.phase, "Pending");
    assert.equal(conditionOf(test, "Ready"), "True ResourcesCreated: All resources created");
    await bench.pass(1_000);
    const events = await bench.events(namespace, "a");
    assert.equal(events.filter((event) => event === "Normal Created: Created Service a-master").length, 1);
    assert.ok(events.some((event) => /^Warning CreateFailed: .*exceeded quota: q/.test(event)));
    assert.ok(
      operator.lines.some(({ message, level }) => message === "Failed to create resource" && level === "error"),
    );
  });

  it("uses the spec at the time of creation, also after an edit", async () => {
    const namespace = await bench.namespace();
    const { spec } = await bench.create(namespace, "a");
    await bench.client.patch(LocustTest, { namespace, name: "a" }, { merge: { spec: { worker: { replicas: 4 } } } });
    await using _ = await bench.run(namespace);

    const test = await bench.phase(namespace, "a", "Running");

    assert.equal(spec.worker.replicas, 2);
    assert.equal(test.status?.startedGeneration, 2);
    assert.equal(test.status?.expectedWorkers, 4);
    assert.equal((await bench.job(namespace, "a-worker")).spec?.parallelism, 4);
    assert.equal(conditionOf(test, "SpecDrifted"), undefined);
  });

  it("uses dashes in object names for a test name with dots", async () => {
    const namespace = await bench.namespace();
    await using operator = await bench.run(namespace);
    await bench.create(namespace, "team.a.b");
    await bench.phase(namespace, "team.a.b", "Running");

    await bench.pass(130_000);

    assert.deepEqual(await bench.objects(namespace), [
      "Service team-a-b-master",
      "Job team-a-b-master",
      "Job team-a-b-worker",
    ]);
    assert.equal((await bench.get(namespace, "team.a.b")).status?.phase, "Running");
    assert.equal(operator.writes().filter((write) => write.startsWith("POST")).length, 3);
  });

  it("reports the conflicting owner for the second of two tests with the same object names", async () => {
    const namespace = await bench.namespace();
    await using _ = await bench.run(namespace);
    await bench.create(namespace, "a.b");
    await bench.phase(namespace, "a.b", "Running");
    await bench.create(namespace, "a-b");

    const test = await bench.waitFor(
      namespace,
      "a-b",
      (each) => conditionOf(each, "Ready")?.includes("Failed") === true,
    );

    assert.match(
      conditionOf(test, "Ready") ?? "",
      /^False ResourcesFailed: Service n\d+\/a-b-master does not belong to LocustTest .* it is controlled by LocustTest a\.b /,
    );
    assert.equal(test.status?.phase, "Pending");
  });

  it("waits for the deletion of objects of an earlier test of the same name, and does not adopt them", async () => {
    const namespace = await bench.namespace();
    const first = await bench.run(namespace);
    const old = await bench.create(namespace, "a");
    await bench.phase(namespace, "a", "Running");
    await bench.client.delete(LocustTest, { namespace, name: "a" });
    await bench.until(
      "the test is deleted",
      async () => (await bench.client.get(LocustTest, { namespace, name: "a" })) === undefined,
    );
    await first.stop();
    const fresh = await bench.create(namespace, "a");
    await using operator = await bench.run(namespace);
    await bench.pass(10_000);

    // No garbage collector runs here, so the objects stay until the test deletes them.
    const waiting = await bench.get(namespace, "a");
    const errors = operator.lines.filter(({ level }) => level === "error");
    await bench.client.delete(Service, { namespace, name: "a-master" });
    for (const name of ["a-master", "a-worker"])
      await bench.client.delete(Job, { namespace, name }, { propagation: "Background" });
    await bench.phase(namespace, "a", "Running");

    assert.equal(waiting.status?.phase, "Pending");
    assert.equal(conditionOf(waiting, "Ready"), "False ResourcesCreating: Creating resources");
    assert.deepEqual(errors, []);
    assert.notEqual(old.metadata.uid, fresh.metadata.uid);
    const job = await bench.job(namespace, "a-master");
    assert.equal(job.metadata.ownerReferences?.[0]?.uid, fresh.metadata.uid);
  });

  it("does not change a Service of another owner", async () => {
    const namespace = await bench.namespace();
    await bench.client.create(Service, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { namespace, name: "a-master" },
      spec: { ports: [{ port: 80 }] },
    });
    await using _ = await bench.run(namespace);
    await bench.create(namespace, "a");

    const test = await bench.waitFor(namespace, "a", (each) => conditionOf(each, "Ready")?.includes("Failed") === true);

    assert.match(
      conditionOf(test, "Ready") ?? "",
      /^False ResourcesFailed: Service n\d+\/a-master does not belong to LocustTest/,
    );
    assert.deepEqual(await bench.objects(namespace), ["Service a-master"]);
    assert.equal(
      (await bench.client.get(Service, { namespace, name: "a-master" }))?.metadata.ownerReferences,
      undefined,
    );
  });

  it("fails a test that the webhook would deny with the same message, and does not retry", async () => {
    const namespace = await bench.namespace();
    await using operator = await bench.run(namespace);
    await bench.create(namespace, "a", {
      master: { command: " " },
      volumes: [{ name: "secret-x", emptyDir: {} }],
    });

    const test = await bench.phase(namespace, "a", "Failed");
    await bench.pass(60_000);

    const text =
      'spec.master.command must not be blank; spec.volumes[0].name: volume name "secret-x" uses reserved prefix "secret-"';
    assert.equal(conditionOf(test, "Ready"), `False ResourcesFailed: ${text}`);
    assert.equal(conditionOf(test, "TestCompleted"), `True TestFailed: Test failed: ${text}`);
    assert.deepEqual(await bench.events(namespace, "a"), [`Warning TestFailed: Load test execution failed: ${text}`]);
    assert.deepEqual(await bench.objects(namespace), []);
    assert.equal(operator.writes().length, 3);
  });

  it("stops without an error in a terminating namespace", async () => {
    const namespace = await bench.namespace();
    await bench.create(namespace, "a");
    await bench.client.delete(Namespace, { name: namespace });
    await using operator = await bench.run(namespace);

    await bench.pass(10_000);

    assert.deepEqual(
      operator.lines.filter(({ level }) => level === "error"),
      [],
    );
    assert.equal(conditionOf(await bench.get(namespace, "a"), "Ready"), "False ResourcesCreating: Creating resources");
    assert.deepEqual(await bench.objects(namespace), []);
  });
});
