import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { Namespace, Pod } from "@homeostat/kubernetes/core/v1";
import { Bench, conditionOf } from "../testing/bench.ts";
import { LocustTest, type LocustTestInput } from "../api/locust-test.ts";
import { annotations } from "../api/names.ts";
import { masterJob, workerJob } from "../build/jobs.ts";
import { readSettings } from "../settings/settings.ts";

const hostile: Partial<LocustTestInput["spec"]> = {
  volumes: [{ name: "root", hostPath: { path: "/" } }],
  volumeMounts: [{ name: "root", mountPath: "/host" }],
  security: { containerSecurityContext: { privileged: true } },
};
const allowed = { ALLOW_HOST_ACCESS: "true" };

describe("an operator without a webhook", () => {
  let bench: Bench;
  before(async () => {
    bench = await Bench.start({ parts: "api" });
  });
  after(() => bench[Symbol.asyncDispose]());

  const rerun = async (namespace: string): Promise<void> => {
    const merge = { metadata: { annotations: { [annotations.rerun]: "again" } } };
    await bench.client.patch(LocustTest, { namespace, name: "a" }, { merge });
  };

  it("rejects host access with a condition that lists all problems, and creates nothing", async () => {
    const namespace = await bench.namespace();
    await using _ = await bench.run(namespace);
    await bench.create(namespace, "a", hostile);

    const test = await bench.phase(namespace, "a", "Failed");

    assert.match(
      conditionOf(test, "Ready") ?? "",
      /^False ResourcesFailed: spec\.volumes\[0\]\.hostPath: "\/" gives access/,
    );
    assert.match(
      conditionOf(test, "Ready") ?? "",
      /; spec\.security\.containerSecurityContext\.privileged: true gives/,
    );
    assert.match(
      conditionOf(test, "TestCompleted") ?? "",
      /^True TestFailed: Test failed: spec\.volumes\[0\]\.hostPath/,
    );
    assert.deepEqual(await bench.objects(namespace), []);
  });

  it("lets a test finish that started while host access was allowed, and rejects its next run", async () => {
    const namespace = await bench.namespace();
    await bench.create(namespace, "a", hostile);
    {
      await using _ = await bench.run(namespace, { env: allowed });
      await bench.phase(namespace, "a", "Running");
    }

    await using _ = await bench.run(namespace);
    await bench.pass(200_000, 20);
    const running = await bench.get(namespace, "a");
    await bench.endJob(namespace, "a-worker", "Complete");
    await bench.endJob(namespace, "a-master", "Complete");
    await bench.phase(namespace, "a", "Succeeded");
    await rerun(namespace);
    const refused = await bench.waitFor(namespace, "a", ({ status }) => status?.run === 2 && status.phase === "Failed");

    assert.equal(running.status?.phase, "Running");
    assert.match(conditionOf(refused, "Ready") ?? "", /ALLOW_HOST_ACCESS/);
    assert.deepEqual(await bench.objects(namespace), ["Service a-master"]);
  });

  it("warns once at startup about credentials in clear text, without logging their values", async () => {
    const namespace = await bench.namespace();
    const env = { KAFKA_PASSWORD: "hunter2", KAFKA_SASL_JAAS_CONFIG: "hunter2" };
    await using operator = await bench.run(namespace, { env });

    await bench.until("the settings", async () =>
      operator.lines.some(({ message }) => message === "Operator configuration loaded"),
    );

    const warnings = operator.lines.filter(({ level }) => level === "warn");
    assert.deepEqual(
      warnings.map(({ message }) => message),
      ["Kafka credentials are passed to the pods of tests in clear text"],
    );
    assert.doesNotMatch(JSON.stringify(operator.lines), /hunter2/);
  });

  it("takes over a test whose Jobs another operator created, even if they use host access", async () => {
    const namespace = await bench.namespace();
    const test = await bench.create(namespace, "a", hostile);
    const input = { test, settings: readSettings(allowed).settings, run: 1 };
    await bench.client.create(Job, masterJob(input));
    await bench.client.create(Job, workerJob(input));

    await using _ = await bench.run(namespace);

    await bench.phase(namespace, "a", "Running");
  });
});

describe("a namespace that enforces the standard restricted", () => {
  let bench: Bench;
  before(async () => {
    bench = await Bench.start();
  });
  after(() => bench[Symbol.asyncDispose]());

  const restrictedNamespace = async (): Promise<string> => {
    const name = await bench.namespace();
    const merge = { metadata: { labels: { "pod-security.kubernetes.io/enforce": "restricted" } } };
    await bench.client.patch(Namespace, { name }, { merge });
    return name;
  };

  it("admits the pods of a default test with RESTRICTED_PODS", async () => {
    const namespace = await restrictedNamespace();
    await using _ = await bench.run(namespace, {
      env: { RESTRICTED_PODS: "true", RESTRICTED_PODS_RUN_AS_USER: "1000" },
    });
    await bench.create(namespace, "a");

    await bench.phase(namespace, "a", "Succeeded");

    const { items } = await bench.client.list(Pod, { namespace });
    assert.equal(items.length, 3);
    for (const { spec } of items) {
      assert.deepEqual(spec?.securityContext, {
        runAsNonRoot: true,
        runAsUser: 1000,
        seccompProfile: { type: "RuntimeDefault" },
      });
      assert.equal(spec?.automountServiceAccountToken, false);
      assert.deepEqual(spec?.volumes ?? [], []);
    }
  });

  it("rejects them without RESTRICTED_PODS, and the test reports the reason", async () => {
    const namespace = await restrictedNamespace();
    await using _ = await bench.run(namespace, { env: { POD_STARTUP_GRACE_SECONDS: "5" } });
    await bench.create(namespace, "a");

    const test = await bench.phase(namespace, "a", "Failed");

    assert.match(conditionOf(test, "PodsHealthy") ?? "", /violates PodSecurity "restricted:latest"/);
  });
});
