import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { formatTime } from "@homeostat/core";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { Event, Pod as PodType, type PodStatus, Service } from "@homeostat/kubernetes/core/v1";
import type { RunningOperator } from "@homeostat/operator-testing";
import { Bench, conditionOf, type RunOptions } from "../testing/bench.ts";
import { LocustTest, type LocustTestInput } from "../api/locust-test.ts";

/** Returns a pod status with a container in a state. */
function state(name: string, given: NonNullable<PodStatus["containerStatuses"]>[number]["state"]): PodStatus {
  return {
    phase: given?.running === undefined ? "Pending" : "Running",
    containerStatuses: [
      { name, ready: false, restartCount: 0, image: "", imageID: "", ...(given && { state: given }) },
    ],
  };
}

const up = (name: string): PodStatus => state(name, { running: {} });

describe("a running test", () => {
  let bench: Bench;
  before(async () => {
    bench = await Bench.start({ parts: "api" });
  });
  after(() => bench[Symbol.asyncDispose]());

  /** Starts an operator and a test `a`, and waits until the test is Running. */
  async function started(
    options: RunOptions & { readonly spec?: Partial<LocustTestInput["spec"]> } = {},
  ): Promise<{ namespace: string; operator: RunningOperator }> {
    const namespace = await bench.namespace();
    const operator = await bench.run(namespace, options);
    await bench.create(namespace, "a", options.spec);
    await bench.phase(namespace, "a", "Running");
    return { namespace, operator };
  }

  const remove = (namespace: string, name: string): Promise<unknown> =>
    bench.client.delete(Job, { namespace, name }, { propagation: "Background" });

  it("ignores an edit and reports it once", async () => {
    const { namespace, operator } = await started();
    await using _ = operator;
    const before = await bench.job(namespace, "a-worker");

    await bench.client.patch(LocustTest, { namespace, name: "a" }, { merge: { spec: { worker: { replicas: 9 } } } });
    const test = await bench.waitFor(namespace, "a", ({ status }) => status?.observedGeneration === 2);
    await bench.setJob(namespace, "a-master", { active: 1 });
    await bench.pass(2_000);

    assert.equal(
      conditionOf(test, "SpecDrifted"),
      "True SpecChangeIgnored: Spec changes after creation are ignored. Delete and recreate the CR to apply changes.",
    );
    assert.equal(test.status?.startedGeneration, 1);
    assert.equal(test.status?.expectedWorkers, 2);
    assert.deepEqual((await bench.job(namespace, "a-worker")).spec, before.spec);
    const logged = operator.lines.filter(({ message }) => /NO-OP by design|not currently supported/.test(message));
    assert.deepEqual(
      logged.map(({ level, message }) => `${level} ${message}`),
      [
        "info LocustTest updated - NO-OP by design",
        "info Update operations on LocustTest are not currently supported!",
      ],
    );
  });

  it("ignores changes of labels and annotations", async () => {
    const { namespace, operator } = await started();
    await using _ = operator;
    await bench.pass(130_000);
    const before = operator.writes().length;

    const marks = { labels: { team: "shop" }, annotations: { note: "hello" } };
    await bench.client.patch(LocustTest, { namespace, name: "a" }, { merge: { metadata: marks } });
    await bench.pass(2_000);

    assert.deepEqual(operator.writes().slice(before), []);
    assert.equal((await bench.get(namespace, "a")).status?.observedGeneration, 1);
  });

  it("recreates a deleted Service and does not change the Jobs", async () => {
    const { namespace, operator } = await started();
    await using _ = operator;
    const { status } = await bench.get(namespace, "a");

    await bench.client.delete(Service, { namespace, name: "a-master" });
    const pending = await bench.phase(namespace, "a", "Pending");
    const test = await bench.phase(namespace, "a", "Running");
    await bench.pass(1_000);

    assert.equal(conditionOf(pending, "Ready"), "False ResourcesCreating: Recreating externally deleted resources");
    assert.deepEqual(await bench.objects(namespace), ["Service a-master", "Job a-master", "Job a-worker"]);
    assert.equal(test.status?.masterJobUID, status?.masterJobUID);
    assert.equal(test.status?.startTime, status?.startTime);
    const events = await bench.events(namespace, "a");
    const text = "Warning ResourceDeleted: Master Service a-master was deleted externally, will attempt recreation";
    assert.equal(events.filter((event) => event === text).length, 1);
    assert.equal(events.filter((event) => event.includes("TestStarted")).length, 1);
    assert.ok(operator.lines.some(({ message }) => message === "Resource deleted externally, returning to Pending"));
  });

  it("recreates a Service without the exporter port if the running master has no exporter", async () => {
    const observability = { openTelemetry: { enabled: true, endpoint: "http://otel:4317" } };
    const { namespace, operator } = await started({ spec: { observability } });
    await using _ = operator;
    const merge = { spec: { observability: { openTelemetry: { enabled: false } } } };
    await bench.client.patch(LocustTest, { namespace, name: "a" }, { merge });
    await bench.waitFor(namespace, "a", ({ status }) => status?.observedGeneration === 2);

    await bench.client.delete(Service, { namespace, name: "a-master" });
    await bench.phase(namespace, "a", "Pending");
    const test = await bench.phase(namespace, "a", "Running");

    const service = await bench.client.get(Service, { namespace, name: "a-master" });
    assert.deepEqual(
      service?.spec?.ports?.map(({ port }) => port),
      [5557, 5558],
    );
    assert.equal(test.status?.startedGeneration, 1);
    assert.notEqual(conditionOf(test, "SpecDrifted"), undefined);
  });

  it("recreates a deleted worker Job while the master continues", async () => {
    const { namespace, operator } = await started();
    await using _ = operator;
    const master = await bench.job(namespace, "a-master");

    await remove(namespace, "a-worker");
    await bench.phase(namespace, "a", "Pending");
    const test = await bench.phase(namespace, "a", "Running");

    assert.equal((await bench.job(namespace, "a-worker")).spec?.parallelism, 2);
    assert.equal((await bench.job(namespace, "a-master")).metadata.uid, master.metadata.uid);
    assert.equal(test.status?.workerJobUID, (await bench.job(namespace, "a-worker")).metadata.uid);
  });

  it("restarts both Jobs when the master Job is deleted", async () => {
    const { namespace, operator } = await started();
    await using _ = operator;
    const before = await bench.job(namespace, "a-worker");

    await remove(namespace, "a-master");
    await bench.phase(namespace, "a", "Pending");
    const test = await bench.phase(namespace, "a", "Running");
    await bench.pass(1_000);

    const worker = await bench.job(namespace, "a-worker");
    assert.notEqual(worker.metadata.uid, before.metadata.uid);
    assert.equal(test.status?.masterJobUID, (await bench.job(namespace, "a-master")).metadata.uid);
    const events = await bench.events(namespace, "a");
    assert.ok(
      events.includes("Warning ResourceDeleted: Master Job a-master was deleted externally, will attempt recreation"),
    );
    assert.ok(!events.some((event) => event.includes("Worker Job a-worker was deleted externally")));
  });

  it("does not recreate a deleted Job after an edit of the spec", async () => {
    const { namespace, operator } = await started();
    await using _ = operator;
    await bench.client.patch(LocustTest, { namespace, name: "a" }, { merge: { spec: { worker: { replicas: 9 } } } });
    await bench.waitFor(namespace, "a", ({ status }) => status?.observedGeneration === 2);

    await remove(namespace, "a-worker");
    const test = await bench.phase(namespace, "a", "Failed");

    assert.equal(
      conditionOf(test, "TestCompleted"),
      "True TestFailed: Test failed: the worker Job was deleted and cannot be recreated because the spec has changed since then",
    );
    assert.deepEqual(await bench.objects(namespace), ["Service a-master", "Job a-master"]);
  });

  it("does not recreate Jobs that are deleted after the end", async () => {
    const { namespace, operator } = await started();
    await using _ = operator;
    await bench.endJob(namespace, "a-master", "Complete");
    await bench.phase(namespace, "a", "Succeeded");
    const before = operator.writes().length;

    for (const name of ["a-master", "a-worker"]) await remove(namespace, name);
    await bench.pass(5_000);

    assert.equal((await bench.get(namespace, "a")).status?.phase, "Succeeded");
    assert.deepEqual(operator.writes().slice(before), []);
  });

  it("takes the outcome from a Job that was deleted immediately after its end", async () => {
    const { namespace, operator } = await started({ env: { JOB_TTL_SECONDS_AFTER_FINISHED: "0" } });
    await using _ = operator;

    await bench.endJob(namespace, "a-master", "Failed");
    for (const name of ["a-master", "a-worker"]) await remove(namespace, name);
    const test = await bench.phase(namespace, "a", "Failed");
    await bench.pass(2_000);

    assert.equal(
      conditionOf(test, "TestCompleted"),
      "True TestFailed: Test failed: master Job failed: BackoffLimitExceeded",
    );
    assert.deepEqual(await bench.objects(namespace), ["Service a-master"]);
  });

  it("does not run again if its Jobs ended and were removed while no operator ran", async () => {
    const env = { JOB_TTL_SECONDS_AFTER_FINISHED: "60" };
    const { namespace, operator } = await started({ env });
    await operator.stop();
    await bench.endJob(namespace, "a-master", "Complete");
    for (const name of ["a-master", "a-worker"]) await remove(namespace, name);

    await using again = await bench.run(namespace, { env });
    const test = await bench.phase(namespace, "a", "Failed");
    await bench.pass(5_000);

    assert.match(
      conditionOf(test, "TestCompleted") ?? "",
      /^True ResultUnavailable: Test failed: the master Job was deleted/,
    );
    assert.equal(test.status?.result?.outcome, "Unknown");
    assert.deepEqual(await bench.objects(namespace), ["Service a-master"]);
    assert.deepEqual(again.writes(), ["PATCH locusttests/a/status"]);
  });

  it("fails with the cause when the master exits with 1, and its pods count as healthy", async () => {
    const { namespace, operator } = await started();
    await using _ = operator;
    await bench.pod(namespace, "a-master", "m", up("a-master"));
    await bench.pass(130_000);

    await bench.setPod(namespace, "m", state("a-master", { terminated: { exitCode: 1, reason: "Error" } }));
    await bench.endJob(namespace, "a-master", "Failed");
    const test = await bench.phase(namespace, "a", "Failed");
    await bench.pass(1_000);

    const cause = "master exited with code 1 (request failures or errors)";
    assert.equal(conditionOf(test, "TestCompleted"), `True TestFailed: Test failed: ${cause}`);
    assert.equal(conditionOf(test, "Ready"), "False ResourcesFailed: Test failed");
    assert.equal(conditionOf(test, "PodsHealthy"), "True PodsHealthy: All pods are healthy");
    assert.equal(test.status?.result?.masterExitCode, 1);
    assert.notEqual(test.status?.completionTime, undefined);
    const events = await bench.events(namespace, "a");
    assert.equal(events.at(-1), `Warning TestFailed: Load test execution failed: ${cause}`);
  });

  it("fails after two minutes without its ConfigMap, and continues when the ConfigMap is created", async () => {
    const { namespace, operator } = await started({ spec: { testFiles: { configMapRef: "files" } } });
    await using _ = operator;
    await bench.pod(namespace, "a-master", "m", state("a-master", { waiting: { reason: "ContainerCreating" } }));
    await bench.client.create(Event, {
      apiVersion: "v1",
      kind: "Event",
      metadata: { namespace, name: "m.1" },
      involvedObject: {
        apiVersion: "v1",
        kind: "Pod",
        namespace,
        name: "m",
        uid: (await bench.client.get(PodType, { namespace, name: "m" }))?.metadata.uid ?? "",
      },
      type: "Warning",
      reason: "FailedMount",
      message: 'MountVolume.SetUp failed for volume "a-master" : configmap "files" not found',
      firstTimestamp: formatTime(bench.clock.now()),
      lastTimestamp: formatTime(bench.clock.now()),
      count: 1,
    });
    await bench.pass(110_000);
    const early = await bench.get(namespace, "a");

    const failed = await bench.phase(namespace, "a", "Failed");
    await bench.pass(20_000);
    await bench.setPod(namespace, "m", up("a-master"));
    const test = await bench.phase(namespace, "a", "Running");
    await bench.pass(1_000);

    const text =
      "ConfigurationError: 1 pod(s) affected [m]: ConfigMap not found (expected: files). " +
      'MountVolume.SetUp failed for volume "a-master" : configmap "files" not found' +
      ". Create the ConfigMap and the pods will restart automatically.";
    assert.equal(early.status?.phase, "Running");
    assert.equal(conditionOf(early, "PodsHealthy"), "True PodsStarting: Pods are starting up");
    assert.equal(conditionOf(failed, "PodsHealthy"), `False ConfigurationError: ${text}`);
    assert.equal(conditionOf(failed, "TestCompleted"), `True TestFailed: Test failed: ${text}`);
    assert.equal(conditionOf(test, "TestCompleted"), "False TestInProgress: Test is running");
    assert.equal(conditionOf(test, "Ready"), "True ResourcesCreated: All resources created");
    assert.equal(conditionOf(test, "PodsHealthy"), "True PodsHealthy: All pods are healthy");
    assert.equal(test.status?.completionTime, undefined);
    const events = await bench.events(namespace, "a");
    assert.deepEqual(
      events.slice(4).map((event) => event.replace(/:.*$/, "")),
      ["Warning PodFailure", "Warning TestFailed", "Normal TestRecovered"],
    );
    assert.equal(events[4], `Warning PodFailure: ${text}`);
    assert.equal(events[6], "Normal TestRecovered: Pods are healthy again");
    assert.deepEqual(
      operator.lines
        .filter(({ message }) => message === "Pod health check failed")
        .map((line) => [line["reason"], line["failedPods"]]),
      [["ConfigurationError", 1]],
    );
  });

  it("fails after two minutes with a wrong image, and reports the crash of a worker once", async () => {
    const { namespace, operator } = await started();
    await using _ = operator;
    const waiting = { reason: "ErrImagePull", message: "no such image" };
    await bench.pod(namespace, "a-worker", "w", state("a-worker", { waiting }));

    const test = await bench.phase(namespace, "a", "Failed");
    await bench.setPod(
      namespace,
      "w",
      state("a-worker", { waiting: { reason: "ImagePullBackOff", message: "Back-off" } }),
    );
    await bench.pass(20_000);

    assert.equal(
      conditionOf(test, "PodsHealthy"),
      "False ImagePullError: ImagePullError: 1 pod(s) affected [w]: no such image",
    );
    const events = await bench.events(namespace, "a");
    assert.equal(events.filter((event) => event.startsWith("Warning PodFailure")).length, 1);
    assert.equal((await bench.get(namespace, "a")).status?.phase, "Failed");
  });

  it("counts unschedulable workers as connected while their pods are active, and fails later", async () => {
    const { namespace, operator } = await started();
    await using _ = operator;
    await bench.setJob(namespace, "a-worker", { active: 2 });
    const conditions = [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/1 nodes" }];
    for (const name of ["w1", "w2"]) await bench.pod(namespace, "a-worker", name, { phase: "Pending", conditions });
    const early = await bench.waitFor(namespace, "a", ({ status }) => status?.connectedWorkers === 2);

    const test = await bench.phase(namespace, "a", "Failed");

    assert.equal(conditionOf(early, "WorkersConnected"), "True AllWorkersConnected: 2/2 workers connected");
    assert.equal(
      conditionOf(test, "PodsHealthy"),
      "False SchedulingError: SchedulingError: 2 pod(s) affected [w1, w2]: 0/1 nodes",
    );
  });

  it("fails immediately when the worker Job fails", async () => {
    const { namespace, operator } = await started();
    await using _ = operator;
    await bench.setJob(namespace, "a-master", { active: 1 });

    await bench.endJob(namespace, "a-worker", "Failed");
    const test = await bench.phase(namespace, "a", "Failed");

    assert.equal(
      conditionOf(test, "TestCompleted"),
      "True TestFailed: Test failed: Worker Job failed: BackoffLimitExceeded",
    );
  });

  it("retries when other clients write the status, and records the end", async () => {
    const { namespace, operator } = await started();
    await using _ = operator;
    const weather = { isStormy: true };
    const storm = (async () => {
      for (let count = 0; weather.isStormy && count < 200; count += 1) {
        const merge = { status: { webUIURL: `http://storm/${count}` } };
        await bench.client.patch(LocustTest, { namespace, name: "a" }, { merge }, { subresource: "status" });
      }
    })();

    await bench.endJob(namespace, "a-master", "Complete");
    await bench.pass(3_000);
    weather.isStormy = false;
    await storm;
    const test = await bench.phase(namespace, "a", "Succeeded");

    assert.equal(conditionOf(test, "TestCompleted"), "True TestSucceeded: Test completed successfully");
  });

  it("is continued by another process from its status, without duplicate events", async () => {
    const { namespace, operator } = await started();
    await bench.setJob(namespace, "a-master", { active: 1 });
    await bench.setJob(namespace, "a-worker", { active: 2 });
    await bench.waitFor(namespace, "a", ({ status }) => status?.connectedWorkers === 2);
    await bench.pass(130_000);
    await operator.stop();
    const before = await bench.events(namespace, "a");

    await using next = await bench.run(namespace);
    await bench.pass(20_000);
    const during = next.writes();
    await bench.endJob(namespace, "a-master", "Complete");
    await bench.phase(namespace, "a", "Succeeded");
    await bench.pass(1_000);

    assert.deepEqual(during, []);
    assert.deepEqual(await bench.events(namespace, "a"), [
      ...before,
      "Normal TestCompleted: Load test completed successfully",
    ]);
  });

  it("has no negative duration when the API server's clock is set back", async () => {
    const { namespace, operator } = await started();
    await using _ = operator;

    bench.clock.jump(-3_600_000);
    // The operator learns the new time from the responses to its requests.
    await bench.create(namespace, "b");
    await bench.phase(namespace, "b", "Running");
    await bench.endJob(namespace, "a-master", "Complete");
    await bench.phase(namespace, "a", "Succeeded");
    bench.clock.jump(3_600_000);

    const sum = /locust_operator_test_duration_seconds_sum\{[^}]*\} (\S+)/.exec(operator.registry.expose())?.[1];
    assert.equal(sum, "0");
  });

  for (const [what, message, isFailed] of [
    [
      "fails with the API server's message when its pods are rejected",
      'Error creating: pods "x" is forbidden: pod rejected: RuntimeClass "y" not found',
      true,
    ],
    [
      "waits with a warning for pods that a quota rejects",
      'Error creating: pods "x" is forbidden: exceeded quota: small',
      false,
    ],
  ] as const) {
    it(what, async () => {
      const { namespace, operator } = await started();
      await using _ = operator;
      const { metadata } = await bench.job(namespace, "a-worker");
      await bench.pod(namespace, "a-master", "m", up("a-master"));
      await bench.client.create(Event, {
        apiVersion: "v1",
        kind: "Event",
        metadata: { namespace, name: "a-worker.1" },
        involvedObject: { apiVersion: "batch/v1", kind: "Job", namespace, name: "a-worker", uid: metadata.uid ?? "" },
        type: "Warning",
        reason: "FailedCreate",
        message,
        firstTimestamp: formatTime(bench.clock.now()),
        lastTimestamp: formatTime(bench.clock.now()),
        count: 1,
      });

      await bench.pass(150_000);

      const test = await bench.get(namespace, "a");
      const events = await bench.events(namespace, "a");
      assert.equal(test.status?.phase, isFailed ? "Failed" : "Running");
      assert.match(
        conditionOf(test, "PodsHealthy") ?? "",
        isFailed ? /^False SchedulingError: .*not found/ : /^True PodsStarting: .*quota/,
      );
      assert.equal(
        events.filter((event) => event.startsWith("Warning") && event.includes(message)).length,
        isFailed ? 2 : 1,
      );
      if (!isFailed) assert.equal(conditionOf(test, "WorkersConnected"), "False WorkersMissing: 0/2 workers connected");
    });
  }

  it("is deleted after its finalizer is removed, with an event", async () => {
    const { namespace, operator } = await started();
    await using _ = operator;

    await bench.client.delete(LocustTest, { namespace, name: "a" });
    await bench.until(
      "the test is deleted",
      async () => (await bench.client.get(LocustTest, { namespace, name: "a" })) === undefined,
    );
    await bench.pass(1_000);

    const events = await bench.events(namespace, "a");
    assert.equal(events.at(-1), "Normal Deleting: LocustTest and owned resources being cleaned up");
    assert.ok(
      operator.lines.some(
        ({ level, message }) =>
          level === "info" && message === "LocustTest deleted, cleaning up resources via owner references",
      ),
    );
    assert.ok(!operator.registry.expose().includes(`locust_operator_tests{namespace="${namespace}"`));
  });

  it("never logs secrets", async () => {
    const env = { KAFKA_PASSWORD: "hush-1", KAFKA_SASL_JAAS_CONFIG: "hush-2" };
    const variables = [{ name: "TOKEN", value: "hush-3" }];
    const { namespace, operator } = await started({ env, spec: { env: { variables } } });
    await using _ = operator;
    await bench.endJob(namespace, "a-master", "Complete");
    await bench.phase(namespace, "a", "Succeeded");

    assert.ok(operator.lines.length > 10);
    assert.ok(!JSON.stringify(operator.lines).includes("hush"));
  });

  it("logs the messages of the Go operator", async () => {
    const { namespace, operator } = await started();
    await using _ = operator;
    await bench.endJob(namespace, "a-master", "Complete");
    await bench.phase(namespace, "a", "Succeeded");

    const own = operator.lines
      .filter(({ controller }) => controller === "locusttest")
      .map(({ level, message, controller: _c, namespace: _n, reconcileID: _i, ...fields }) =>
        `${level} ${message} ${JSON.stringify(fields)}`.replaceAll(namespace, "n"),
      );
    assert.deepEqual(own, [
      'info LocustTest created {"name":"a"}',
      'debug Custom resource information {"name":"a","image":"locustio/locust:2.46.3","masterCommand":"--locustfile /f.py --users 5 --spawn-rate 5 --run-time 20s","workerCommand":"--locustfile /f.py","workerReplicas":2}',
      'info Created resource {"name":"a-master","kind":"Service"}',
      'debug Master Service reconciled {"name":"a-master"}',
      'info Created resource {"name":"a-master","kind":"Job"}',
      'debug Master Job reconciled {"name":"a-master"}',
      'info Created resource {"name":"a-worker","kind":"Job"}',
      'debug Worker Job reconciled {"name":"a-worker"}',
      'info All resources created successfully {"name":"a","locustTest":"a","masterService":"a-master","masterJob":"a-master","workerJob":"a-worker"}',
      'info Phase transition {"name":"a","from":"Pending","to":"Running","locustTest":"a"}',
      'info Phase transition {"name":"a","from":"Running","to":"Succeeded","locustTest":"a"}',
    ]);
  });
});
