import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { Pod, Secret } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/annotations.ts";
import { ChronikCluster } from "../api/chronik-cluster.ts";
import { Bench, conditionOf, namespace, quick } from "../testing/bench.ts";

describe("rolling updates", () => {
  let bench: Bench;
  let operator: Awaited<ReturnType<Bench["run"]>>;
  before(async () => {
    bench = await Bench.start();
    operator = await bench.run();
  });
  afterEach(async () => {
    // Clusters of other tests cost time.
    const { items } = await bench.client.list(ChronikCluster, { namespace });
    for (const { metadata } of items) {
      const name = metadata.name ?? "";
      await bench.annotate(name, annotations.forceDelete, "true");
      await bench.client.delete(ChronikCluster, { namespace, name });
      await bench.untilDeleted(name);
    }
  });
  after(async () => {
    await operator.stop();
    await bench[Symbol.asyncDispose]();
  });

  it("stop at the first pod that does not become ready, and continue when the spec is fixed", async () => {
    await bench.create("bad", {
      controllers: 3,
      ingestNodes: 1,
      updateStrategy: { ...quick.updateStrategy, progressDeadlineSeconds: 60 },
    });
    await bench.running("bad");
    const before = await bench.uids("bad");

    await bench.change("bad", { config: { common: { misbehave: "neverReady" } } });
    const failed = await bench.waitFor(
      "bad",
      (cluster) => conditionOf(cluster, "Progressing")?.startsWith("False ProgressDeadlineExceeded") === true,
    );
    const during = await bench.uids("bad");
    await bench.change("bad", { config: { common: { misbehave: "none" } } });
    await bench.running("bad");

    assert.equal([...before].filter(([name, uid]) => during.get(name) !== uid).length, 1);
    assert.match(conditionOf(failed, "Degraded") ?? "", /^True ProgressDeadlineExceeded/);
    assert.equal(failed.status.rollout?.components?.[0]?.blockedBy, "NewPodNotReady");
    assert.ok((await bench.events("bad")).some((event) => event.startsWith("Warning ProgressDeadlineExceeded")));
  });

  it("wait until a restarted ingest node has been ready for long enough, then stop at one pod of a bad template", async () => {
    const minReadySeconds = 5;
    await bench.create("soon", {
      controllers: 3,
      ingestNodes: 3,
      updateStrategy: { ...quick.updateStrategy, minReadySeconds },
    });
    await bench.running("soon");
    await bench.change("soon", { config: { ingest: { "message.max.bytes": "2000000" } } });
    await bench.running("soon");
    const before = await bench.uids("soon");

    // The cluster is Running, because the last ingest node is ready. It has not been ready for 5 s.
    await bench.change("soon", { config: { controller: { misbehave: "neverReady" } } });
    const seen: string[] = [];
    await bench.waitFor("soon", ({ status }) => {
      const state = status.rollout?.components?.find(({ component }) => component === "controller");
      const text = `${state?.outdated ?? 0} outdated, ${state?.blockedBy}: ${state?.message}`;
      if (state !== undefined && seen.at(-1) !== text) seen.push(text);
      return state?.message?.includes("-controller-") === true && state.blockedBy === "NewPodNotReady";
    });
    await bench.pass(60_000);

    const changed = [...(await bench.uids("soon"))].filter(([name, uid]) => before.get(name) !== uid);
    assert.equal(changed.length, 1, changed.join());
    assert.ok(
      seen.some((text) => /^3 outdated, NewPodNotReady: soon-ingest-\d has been ready for less than 5 s$/.test(text)),
      seen.join("\n"),
    );
    assert.match(seen.at(-1) ?? "", /^2 outdated, NewPodNotReady: soon-controller-\d is not ready$/);
  });

  it("replace only the controller that is not ready while its replacement is not ready either", async () => {
    await bench.create("lame", { controllers: 3, ingestNodes: 1 });
    await bench.running("lame");
    await bench.misbehave("lame-controller-1", { neverReady: true });
    await bench.waitFor("lame", ({ status }) => status.readyReplicas?.controllers === 2);
    const before = await bench.uids("lame");

    await bench.change("lame", { config: { common: { misbehave: "neverReady" } } });
    const blocked = await bench.waitFor(
      "lame",
      ({ status }) => status.rollout?.components?.some(({ blockedBy }) => blockedBy === "NewPodNotReady") === true,
    );
    await bench.pass(60_000);

    const changed = [...(await bench.uids("lame"))].filter(([name, uid]) => before.get(name) !== uid);
    assert.deepEqual(
      changed.map(([name]) => name),
      ["lame-controller-1"],
    );
    assert.deepEqual(
      blocked.status.rollout?.components?.map(({ component, blockedBy }) => `${component} ${blockedBy}`),
      ["controller NewPodNotReady", "ingest TierOrder"],
    );
  });

  it("restart the pods of a StatefulSet one by one after kubectl rollout restart", async () => {
    await bench.create("hand", { controllers: 1, ingestNodes: 2 });
    await bench.running("hand");
    const before = await bench.uids("hand");

    const restartedAt = { "kubectl.kubernetes.io/restartedAt": "2026-01-01T00:00:00Z" };
    const merge = { spec: { template: { metadata: { annotations: restartedAt } } } };
    await bench.client.patch(StatefulSet, { namespace, name: "hand-ingest" }, { merge });
    await bench.until("new ingest nodes", async () => {
      const pods = await bench.pods("hand", "ingest");
      const gone = pods.filter(({ metadata }) => metadata.deletionTimestamp !== undefined).length;
      assert.ok(pods.length >= 1 && gone <= 1);
      return pods.length === 2 && pods.every(({ metadata }) => before.get(metadata.name ?? "") !== metadata.uid);
    });
    const running = await bench.running("hand");

    assert.equal((await bench.uids("hand")).get("hand-controller-0"), before.get("hand-controller-0"));
    assert.deepEqual(running.status.rollout?.reasons, ["TemplateChanged"]);
  });

  it("restart one annotated pod, and all pods of a component after a restart request", async () => {
    await bench.create("ask", { controllers: 1, ingestNodes: 2 });
    await bench.running("ask");
    const before = await bench.uids("ask");

    const merge = { metadata: { annotations: { [annotations.manualRestart]: "true" } } };
    await bench.client.patch(Pod, { namespace, name: "ask-ingest-0" }, { merge });
    await bench.until(
      "a new pod",
      async () => (await bench.uids("ask")).get("ask-ingest-0") !== before.get("ask-ingest-0"),
    );
    await bench.running("ask");
    const between = await bench.uids("ask");
    await bench.annotate("ask", annotations.restartComponents, "ingest");
    await bench.annotate("ask", annotations.restart, "now");
    await bench.until("new ingest nodes", async () => {
      const uids = await bench.uids("ask");
      return ["ask-ingest-0", "ask-ingest-1"].every((name) => uids.has(name) && uids.get(name) !== between.get(name));
    });
    await bench.running("ask");

    assert.equal(between.get("ask-ingest-1"), before.get("ask-ingest-1"));
    assert.equal((await bench.uids("ask")).get("ask-controller-0"), before.get("ask-controller-0"));
  });

  it("wait for a missing Secret, and restart the pods when its content changes", async () => {
    const secret = (password: string): Secret & { metadata: { name: string } } => ({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { namespace, name: "pg" },
      data: { username: "dQ==", password: Buffer.from(password).toString("base64") },
    });
    await bench.create("db", {
      controllers: 1,
      ingestNodes: 1,
      metastore: { database: "postgres", connection: { host: "pg", credentialsSecret: "pg" } },
    });

    const waiting = await bench.waitFor(
      "db",
      (cluster) => conditionOf(cluster, "PrerequisitesMet")?.startsWith("False PrerequisiteMissing") === true,
    );
    const objects = await bench.objects("db");
    await bench.client.create(Secret, secret("one"));
    await bench.running("db");
    const before = await bench.uids("db");
    await bench.client.patch(
      Secret,
      { namespace, name: "pg" },
      { merge: { data: { password: Buffer.from("two").toString("base64") } } },
    );
    await bench.until("new pods", async () => {
      const uids = await bench.uids("db");
      return uids.size === 2 && [...before].every(([name, uid]) => uids.get(name) !== uid);
    });
    const running = await bench.running("db");

    assert.equal(waiting.status.phase, "Pending");
    assert.equal(conditionOf(waiting, "PrerequisitesMet"), 'False PrerequisiteMissing: Secret "pg" not found');
    assert.ok(!objects.some((object) => object.startsWith("StatefulSet")));
    assert.ok(objects.includes("ConfigMap db-config"));
    assert.deepEqual(running.status.rollout?.reasons, ["SecretChanged"]);
    await bench.client.delete(Secret, { namespace, name: "pg" });
  });

  it("report outdated pods and restart none with the strategy Manual", async () => {
    await bench.create("manual", {
      controllers: 1,
      ingestNodes: 1,
      updateStrategy: { ...quick.updateStrategy, type: "Manual" },
    });
    await bench.running("manual");
    const before = await bench.uids("manual");

    await bench.change("manual", { config: { common: { a: "b" } } });
    const blocked = await bench.waitFor(
      "manual",
      ({ status }) => status.rollout?.components?.some(({ blockedBy }) => blockedBy === "Manual") === true,
    );
    await bench.pass(60_000);

    assert.equal(blocked.status.phase, "Updating");
    assert.deepEqual(await bench.uids("manual"), before);
  });

  it("wait for an unsafe ingest node until the user skips its check", async () => {
    await bench.create("check", {
      controllers: 1,
      ingestNodes: 1,
      config: { ingest: { misbehave: "unsafeToRestart" } },
    });
    await bench.running("check");
    const before = await bench.uids("check");

    await bench.change("check", { config: { ingest: { misbehave: "none" } } });
    await bench.waitFor(
      "check",
      ({ status }) => status.rollout?.components?.some(({ blockedBy }) => blockedBy === "ComponentCheck") === true,
    );
    assert.equal((await bench.uids("check")).get("check-ingest-0"), before.get("check-ingest-0"));
    await bench.annotate("check", annotations.skipComponentCheck, "check-ingest-0");
    const running = await bench.running("check");

    assert.notEqual((await bench.uids("check")).get("check-ingest-0"), before.get("check-ingest-0"));
    assert.equal(running.metadata.annotations?.[annotations.skipComponentCheck], undefined);
    assert.ok((await bench.events("check")).some((event) => event.startsWith("Warning ComponentCheckSkipped")));
  });

  it("keep the count of ingest nodes that never drain until the user skips the drain", async () => {
    await bench.create("drain", {
      controllers: 1,
      ingestNodes: 3,
      config: { ingest: { misbehave: "neverDrain" } },
      scaleDown: { timeoutSeconds: 60 },
    });
    await bench.running("drain");

    await bench.change("drain", { ingestNodes: 1 });
    const blocked = await bench.waitFor(
      "drain",
      (cluster) => conditionOf(cluster, "ScaleDownBlocked")?.startsWith("True DrainTimeout") === true,
    );
    assert.equal((await bench.object(StatefulSet, "drain-ingest")).spec?.replicas, 3);
    const reconciles = (): number =>
      operator.metric("chronik_operator_reconciliations_total", { controller: "chronikcluster", result: "success" }) ??
      0;
    const before = reconciles();
    await bench.pass(300_000, 60);
    const checks = reconciles() - before;
    await bench.annotate("drain", annotations.skipScaleDownCheck, "true");
    const running = await bench.running("drain");

    // Once a minute.
    assert.ok(checks >= 4 && checks <= 6, `${checks} checks in five minutes`);
    assert.equal(blocked.status.scaleDown?.[0]?.pod, "drain-ingest-2");
    assert.equal((await bench.object(StatefulSet, "drain-ingest")).spec?.replicas, 1);
    assert.match(conditionOf(running, "ScaleDownBlocked") ?? "", /^False NotBlocked/);
  });
});
