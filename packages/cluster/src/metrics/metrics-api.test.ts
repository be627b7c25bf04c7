import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Client, createClient } from "@homeostat/client";
import { FakeClock, NotFoundError } from "@homeostat/core";
import { Node, Pod, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { startCluster } from "../start/start-cluster.ts";

const namespace = "default";

async function read(client: Client, path: string): Promise<unknown> {
  const { body } = await client.raw({ method: "GET", path });
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  const value: unknown = JSON.parse(Buffer.concat(pieces).toString());
  return value;
}

async function runPod(client: Client, name: string, phase: "Pending" | "Running"): Promise<void> {
  const containers = [
    { name: "web", image: "web" },
    { name: "proxy", image: "proxy" },
  ];
  const metadata = { namespace, name, labels: { app: name } };
  const spec = { containers, nodeName: "n1", automountServiceAccountToken: false };
  await client.create(Pod, { apiVersion: "v1", kind: "Pod", metadata, spec });
  await client.patch(Pod, { namespace, name }, { merge: { status: { phase } } }, { subresource: "status" });
}

describe("the metrics APIs", () => {
  it("serve the values that a test sets, each API from its first value on", async () => {
    const clock = new FakeClock();
    await using cluster = await startCluster({ parts: "api", clock });
    using client = createClient(cluster.transport(), { clock });
    const { metrics } = cluster;
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace, name: "default" } } as const;
    await client.create(ServiceAccount, account);
    await client.create(Node, { apiVersion: "v1", kind: "Node", metadata: { name: "n1" } });
    await runPod(client, "a", "Running");
    await runPod(client, "b", "Running");
    await runPod(client, "c", "Pending");
    const groups = async (): Promise<readonly string[]> =>
      (await client.discover()).resources
        .filter(({ group }) => group.endsWith("metrics.k8s.io"))
        .map(({ group, version, plural }) => `${group}/${version} ${plural}`);

    assert.deepEqual(await groups(), []);
    await assert.rejects(read(client, "/apis/metrics.k8s.io/v1beta1/pods"), NotFoundError);
    metrics.setUsage({ namespace }, { cpu: "100m", memory: "10Mi" });
    metrics.setUsage({ namespace, name: "b" }, { containers: { proxy: { cpu: "250m" } } });
    metrics.setPodMetric("requests", { namespace, labels: { app: "a" } }, "3");
    metrics.setObjectMetric("sessions", { apiVersion: "v1", kind: "Node", name: "n1" }, "7");
    metrics.setObjectMetric("sessions", { apiVersion: "v1", kind: "Namespace", name: namespace }, "8");
    metrics.setExternalMetric("queue", { namespace, labels: { topic: "x" } }, "12");
    assert.deepEqual((await groups()).toSorted(), [
      "external.metrics.k8s.io/v1beta1 queue",
      "metrics.k8s.io/v1beta1 nodes",
      "metrics.k8s.io/v1beta1 pods",
    ]);
    assert.deepEqual(await read(client, "/apis/custom.metrics.k8s.io/v1beta2"), {
      kind: "APIResourceList",
      apiVersion: "v1",
      groupVersion: "custom.metrics.k8s.io/v1beta2",
      resources: ["pods/requests", "nodes/sessions", "namespaces/sessions"].map((name) => ({
        name,
        singularName: "",
        namespaced: name.startsWith("pods"),
        kind: "MetricValueList",
        verbs: ["get"],
      })),
    });

    const timestamp = "2026-01-01T00:00:00Z";
    const sample = (name: string): object => ({
      metadata: { name, namespace, creationTimestamp: timestamp, labels: { app: name } },
      timestamp,
      window: "15s",
    });
    const a = {
      ...sample("a"),
      containers: [
        { name: "web", usage: { cpu: "100m", memory: "10Mi" } },
        { name: "proxy", usage: { cpu: "0", memory: "0" } },
      ],
    };
    const b = {
      ...sample("b"),
      containers: [
        { name: "web", usage: { cpu: "0" } },
        { name: "proxy", usage: { cpu: "250m" } },
      ],
    };
    const apiVersion = "metrics.k8s.io/v1beta1";
    const path = `/apis/${apiVersion}/namespaces/${namespace}/pods`;
    assert.deepEqual(await read(client, path), { kind: "PodMetricsList", apiVersion, metadata: {}, items: [a, b] });
    assert.deepEqual(await read(client, `${path}?labelSelector=app%3Db`), {
      kind: "PodMetricsList",
      apiVersion,
      metadata: {},
      items: [b],
    });
    assert.deepEqual(await read(client, `${path}/a`), { kind: "PodMetrics", apiVersion, ...a });
    await assert.rejects(read(client, `${path}/c`), /pods.metrics.k8s.io "default\/c" not found/);
    assert.deepEqual(await read(client, `/apis/${apiVersion}/nodes/n1`), {
      kind: "NodeMetrics",
      apiVersion,
      metadata: { name: "n1", creationTimestamp: timestamp },
      timestamp,
      window: "15s",
      usage: { cpu: "350m", memory: "10Mi" },
    });

    const value = (describedObject: object, name: string, quantity: string): object => ({
      kind: "MetricValueList",
      apiVersion: "custom.metrics.k8s.io/v1beta2",
      metadata: {},
      items: [{ describedObject, metric: { name }, timestamp, windowSeconds: 15, value: quantity }],
    });
    const custom = "/apis/custom.metrics.k8s.io/v1beta2";
    assert.deepEqual(
      await read(client, `${custom}/namespaces/${namespace}/pods/*/requests?labelSelector=app`),
      value({ kind: "Pod", namespace, name: "a", apiVersion: "v1" }, "requests", "3"),
    );
    assert.deepEqual(
      await read(client, `${custom}/nodes/n1/sessions`),
      value({ kind: "Node", name: "n1", apiVersion: "v1" }, "sessions", "7"),
    );
    assert.deepEqual(
      await read(client, `${custom}/namespaces/${namespace}/metrics/sessions`),
      value({ kind: "Namespace", name: namespace, apiVersion: "v1" }, "sessions", "8"),
    );
    await assert.rejects(read(client, `${custom}/nodes/n1/load`), /could not find the metric load for nodes n1/);
    assert.deepEqual(await read(client, `/apis/external.metrics.k8s.io/v1beta1/namespaces/${namespace}/queue`), {
      kind: "ExternalMetricValueList",
      apiVersion: "external.metrics.k8s.io/v1beta1",
      metadata: {},
      items: [{ metricName: "queue", metricLabels: { topic: "x" }, timestamp, value: "12" }],
    });
  });

  it("refuse a value that is not a quantity", async () => {
    await using cluster = await startCluster({ parts: "api", clock: new FakeClock() });

    assert.throws(() => cluster.metrics.setUsage({ namespace }, { cpu: "much" }), /much/);
  });
});
