import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { ConfigMap, Namespace, Secret, Service } from "@homeostat/kubernetes/core/v1";
import { NetworkPolicy } from "@homeostat/kubernetes/networking/v1";
import { Bench } from "../testing/bench.ts";

const namespace = "tenant-acme";

describe("drift", () => {
  let bench: Bench;
  let operator: Awaited<ReturnType<Bench["run"]>>;
  before(async () => {
    bench = await Bench.start();
    operator = await bench.run();
    await bench.create("acme");
    await bench.running("acme");
    await bench.pass(2_000);
  });
  after(async () => {
    await operator.stop();
    await bench[Symbol.asyncDispose]();
  });

  const hand = { fieldManager: "hand" };
  const drift = (kind: string): number => operator.metric("neurallog_tenant_drift_corrected_total", { kind }) ?? 0;

  /** Runs an action, waits a second, and returns the writes of the operator. */
  async function afterASecond(change: () => Promise<unknown>): Promise<readonly string[]> {
    const before = operator.writes().length;
    await change();
    await bench.pass(1_000);
    return operator
      .writes()
      .slice(before)
      .filter((each) => !each.includes("status"));
  }

  it("of a Service port is corrected within a second", async () => {
    const name = "acme-redis";
    const ports = [{ name: "redis", port: 6380, targetPort: "redis", protocol: "TCP" as const }];

    await afterASecond(() => bench.client.patch(Service, { namespace, name }, { merge: { spec: { ports } } }, hand));

    const { spec } = await bench.object(Service, namespace, name);
    assert.deepEqual(
      spec?.ports?.map(({ port }) => port),
      [6379],
    );
    assert.equal(drift("Service"), 1);
  });

  it("by deletion of a policy is corrected within a second", async () => {
    const wrote = await afterASecond(() => bench.client.delete(NetworkPolicy, { namespace, name: "default-deny-all" }));

    assert.deepEqual(wrote, ["POST networkpolicies"]);
    assert.equal(drift("NetworkPolicy"), 1);
  });

  it("by a rule that allows all traffic is corrected within a second", async () => {
    const merge = { spec: { ingress: [{}], egress: [{}] } };

    await afterASecond(() =>
      bench.client.patch(NetworkPolicy, { namespace, name: "default-deny-all" }, { merge }, hand),
    );

    const { spec } = await bench.object(NetworkPolicy, namespace, "default-deny-all");
    assert.deepEqual([spec?.ingress ?? [], spec?.egress ?? []], [[], []]);
    assert.equal(drift("NetworkPolicy"), 2);
  });

  it("of a ConfigMap is corrected within a second, and keys of others stay", async () => {
    const name = "acme-redis-config";
    const merge = { data: { "redis.conf": "port 1", note: "theirs" }, metadata: { labels: { team: "x" } } };

    await afterASecond(() => bench.client.patch(ConfigMap, { namespace, name }, { merge }, hand));

    const { data, metadata } = await bench.object(ConfigMap, namespace, name);
    assert.match(data?.["redis.conf"] ?? "", /^port 6379\n/);
    assert.equal(data?.["note"], "theirs");
    assert.equal(metadata.labels?.["team"], "x");
    assert.equal(drift("ConfigMap"), 1);
  });

  it("of replicas, image and labels is corrected within a second, and a restart annotation stays", async () => {
    const template = { metadata: { annotations: { "kubectl.kubernetes.io/restartedAt": "now" } } };
    const containers = [{ name: "server", image: "evil:1" }];

    await afterASecond(() =>
      bench.client.patch(
        Deployment,
        { namespace, name: "acme-server" },
        { strategic: { spec: { replicas: 5, template: { ...template, spec: { containers } } } } },
        hand,
      ),
    );
    await afterASecond(() =>
      bench.client.patch(
        StatefulSet,
        { namespace, name: "acme-redis" },
        { merge: { metadata: { labels: { app: null } } } },
        hand,
      ),
    );

    const { spec } = await bench.object(Deployment, namespace, "acme-server");
    assert.equal(spec?.replicas, 1);
    assert.equal(spec.template.spec?.containers[0]?.image, "neurallog/server:latest");
    assert.equal(spec.template.metadata?.annotations?.["kubectl.kubernetes.io/restartedAt"], "now");
    assert.equal((await bench.object(StatefulSet, namespace, "acme-redis")).metadata.labels?.["app"], "redis");
    assert.deepEqual([drift("Deployment"), drift("StatefulSet")], [1, 1]);
  });

  it("of namespace labels is corrected within a second, and labels of others stay", async () => {
    const labels = { "pod-security.kubernetes.io/enforce": "privileged", team: "x" };

    await afterASecond(() =>
      bench.client.patch(Namespace, { name: namespace }, { merge: { metadata: { labels } } }, hand),
    );

    const found = await bench.client.get(Namespace, { name: namespace });
    assert.equal(found?.metadata.labels?.["pod-security.kubernetes.io/enforce"], "restricted");
    assert.equal(found.metadata.labels["team"], "x");
    assert.equal(drift("Namespace"), 1);
  });

  it("by deletion of the Secret is corrected by the next reconcile, with a new password", async () => {
    const name = "acme-redis-auth";
    const old = await bench.object(Secret, namespace, name);
    await bench.client.delete(Secret, { namespace, name });
    await bench.pass(340_000, 10);
    await bench.running("acme");

    const made = await bench.object(Secret, namespace, name);
    assert.notEqual(made.data?.["password"], old.data?.["password"]);
    assert.ok((await bench.events("acme")).some((line) => line.startsWith("Warning SecretRecreated")));
  });

  it("is reported once per kind in ten minutes, with fields and field manager", async () => {
    const events = (await bench.events("acme")).filter((line) => line.includes("DriftCorrected"));

    assert.ok(
      events.includes(
        "Normal DriftCorrected: Corrected drift of Service tenant-acme/acme-redis: spec.ports changed by hand",
      ),
      events.join("\n"),
    );
    assert.equal(events.filter((line) => line.includes("NetworkPolicy")).length, 1);
  });

  it("in a hot loop is corrected a few times a minute, and reported", async () => {
    const name = "acme-server";
    const before = operator.writes().length;
    let changes = 0;
    for (let second = 0; second < 60; second += 1) {
      const { spec } = await bench.object(Deployment, namespace, name);
      if (spec?.replicas !== 7) {
        changes += 1;
        await bench.client.patch(
          Deployment,
          { namespace, name },
          { merge: { spec: { replicas: 7 } } },
          { fieldManager: "autoscaler" },
        );
      }
      await bench.pass(1_000, 2);
    }
    const corrections = operator
      .writes()
      .slice(before)
      .filter((each) => each.includes("deployments/acme-server")).length;
    const events = await bench.events("acme");

    assert.ok(changes >= 5 && corrections >= 5, `${changes} changes, ${corrections} corrections`);
    assert.ok(corrections <= 20, `${corrections} corrections in a minute`);
    assert.ok(
      events.some((line) => line.startsWith("Warning HotLoop") && line.includes("acme-server")),
      events.join("\n"),
    );
  });
});
