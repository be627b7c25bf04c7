import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { sendHttp } from "@homeostat/http";
import { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { ConfigMap, PersistentVolumeClaim, Pod, Service } from "@homeostat/kubernetes/core/v1";
import { startClusterWithClock, TestCluster } from "@homeostat/operator-testing";
import { ComponentClient } from "../component/client.ts";
import { componentPort, type QuorumView } from "../component/contract.ts";
import { chronikModel } from "./chronik.ts";

const namespace = "default";
const labels = { app: "c-controller" };
const addressOf = (ordinal: number): string => `c-controller-${ordinal}.c-controller.default.svc.cluster.local:9090`;

/** The ConfigMap of three controllers. */
function configMap(isFounder: boolean, misbehave = ""): ConfigMap & { readonly metadata: { readonly name: string } } {
  const voters = [0, 1, 2].map((ordinal) => ({
    id: ordinal + 1,
    name: `c-controller-${ordinal}`,
    address: addressOf(ordinal),
  }));
  const file = (ordinal: number): string =>
    [
      `node_id = ${ordinal + 1}`,
      `bootstrap = ${isFounder}`,
      "[advertise]",
      `grpc = "${addressOf(ordinal)}"`,
      "[extra]",
      `misbehave = "${misbehave}"`,
    ].join("\n");
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace, name: "c-controller-config" },
    data: {
      "members.json": JSON.stringify({ epoch: 1, voters, target: 3 }),
      ...Object.fromEntries([0, 1, 2, 3].map((ordinal) => [`c-controller-${ordinal}.toml`, file(ordinal)])),
    },
  };
}

const statefulSet: StatefulSet = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { namespace, name: "c-controller" },
  spec: {
    serviceName: "c-controller",
    replicas: 3,
    podManagementPolicy: "Parallel",
    updateStrategy: { type: "OnDelete" },
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        containers: [
          {
            name: "controller",
            image: "chronik/controller:1",
            env: [
              { name: "CHRONIK_ROLE", value: "controller" },
              { name: "CHRONIK_CLUSTER_NAME", value: "c" },
              { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
              { name: "CHRONIK_NAMESPACE", value: namespace },
            ],
            ports: [{ name: "health", containerPort: componentPort }],
            readinessProbe: { httpGet: { path: "/readyz", port: "health" }, periodSeconds: 1 },
            volumeMounts: [
              { name: "data", mountPath: "/var/lib/chronik" },
              { name: "config", mountPath: "/etc/chronik/config" },
            ],
          },
        ],
        volumes: [{ name: "config", projected: { sources: [{ configMap: { name: "c-controller-config" } }] } }],
      },
    },
    volumeClaimTemplates: [
      {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: { name: "data" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      },
    ],
  },
};

const inProgress = { type: "response", value: { type: "inProgress" } };

/** The tests run in order on one cluster. */
describe("controllers on an embedded cluster", () => {
  let bench: TestCluster;
  let components: ComponentClient;
  const { signal } = new AbortController();

  before(async () => {
    bench = new TestCluster(await startClusterWithClock({ models: [chronikModel] }), { stepMs: 250, turns: 8 });
    components = new ComponentClient({ clock: bench.clock, resolve: (ip, port) => bench.cluster.addressOf(ip, port) });
    const { client } = bench;
    const ports = [{ name: "health", port: componentPort }];
    await client.create(Service, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { namespace, name: "c-controller" },
      spec: { clusterIP: "None", selector: labels, ports, publishNotReadyAddresses: true },
    });
    await client.create(ConfigMap, configMap(true));
    await client.create(StatefulSet, statefulSet);
  });
  after(async () => {
    await bench[Symbol.asyncDispose]();
  });

  const podOf = async (ordinal: number): Promise<Pod> =>
    bench.existing(Pod, { namespace, name: `c-controller-${ordinal}` });
  const viewOf = async (ordinal: number): Promise<QuorumView> => {
    const pod = await podOf(ordinal);
    const result = await components.quorum({ ip: pod.status?.podIP ?? "", nodeId: ordinal + 1 }, signal);
    assert.ok(result.type === "response", JSON.stringify(result));
    return result.value;
  };
  const readyCount = async (count: number): Promise<void> => {
    await bench.untilObject(
      StatefulSet,
      { namespace, name: "c-controller" },
      {
        what: `${count} ready`,
        is: ({ status }) => (status?.readyReplicas ?? 0) === count && (status?.replicas ?? 0) >= count,
      },
    );
  };

  it("found a quorum and become ready", async () => {
    await readyCount(3);
    const views = [await viewOf(0), await viewOf(1), await viewOf(2)];

    assert.equal(new Set(views.map(({ leaderId }) => leaderId)).size, 1);
    assert.deepEqual(
      views[0]?.voters.map(({ id }) => id),
      [1, 2, 3],
    );
  });

  it("keep their incarnation when a pod is replaced", async () => {
    const before = await viewOf(1);
    const { metadata } = await podOf(1);
    await bench.client.delete(Pod, { namespace, name: "c-controller-1" });
    await bench.untilObject(
      Pod,
      { namespace, name: "c-controller-1" },
      {
        what: "another pod",
        is: (pod) =>
          pod.metadata.uid !== metadata.uid &&
          pod.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true,
      },
    );

    assert.equal((await viewOf(1)).incarnation, before.incarnation);
  });

  it("are not ready with a new claim until the former incarnation is removed and the new one is added", async () => {
    const { client } = bench;
    const before = await viewOf(2);
    const old = await podOf(2);
    await client.apply(ConfigMap, configMap(false), { fieldManager: "test", force: true });
    await client.delete(PersistentVolumeClaim, { namespace, name: "data-c-controller-2" });
    await client.delete(Pod, { namespace, name: "c-controller-2" });
    const back = await bench.until("the empty controller responds", async () => {
      const pod = await client.get(Pod, { namespace, name: "c-controller-2" });
      if (pod === undefined || pod.metadata.uid === old.metadata.uid || pod.status?.podIP === undefined)
        return undefined;
      const result = await components.quorum({ ip: pod.status.podIP, nodeId: 3 }, signal);
      return result.type === "response" && result.value.leaderId !== undefined && result.value;
    });
    assert.notEqual(back.incarnation, before.incarnation);
    await bench.pass(20_000);
    await readyCount(2);

    const leaderId = (await viewOf(0)).leaderId ?? 0;
    const leader = await podOf(leaderId - 1);
    const target = { ip: leader.status?.podIP ?? "", nodeId: leaderId };
    const former = { id: 3, incarnation: before.incarnation };
    assert.deepEqual(await components.removeMember(target, former, signal), inProgress);
    await bench.pass(3_000);
    const voter = { id: 3, incarnation: back.incarnation, address: addressOf(2) };
    assert.deepEqual(await components.addMember(target, voter, signal), inProgress);
    await readyCount(3);
  });

  it("misbehave at run time and by the configuration", async () => {
    const { status } = await podOf(0);
    const address = bench.cluster.addressOf(status?.podIP ?? "", componentPort);
    assert.ok(address !== undefined);
    const body = JSON.stringify({ garbage: true });
    await sendHttp({ ...address, method: "POST", path: "/misbehave", body, signal, bodyBytesMax: 10_000 });
    const result = await components.quorum({ ip: status?.podIP ?? "", nodeId: 1 }, signal);
    assert.equal(result.type, "malformed");

    await bench.client.apply(ConfigMap, configMap(false, "neverReady"), { fieldManager: "test", force: true });
    await bench.client.delete(Pod, { namespace, name: "c-controller-0" });
    await bench.pass(30_000);
    await readyCount(2);
  });
});
