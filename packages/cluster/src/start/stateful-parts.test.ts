// Volumes and names of stateful workloads, on one cluster in virtual time.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Client, createClient } from "@homeostat/client";
import { FakeClock, SeededRandom } from "@homeostat/core";
import { Event, PersistentVolumeClaim, Pod, Service, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import { StorageClass } from "@homeostat/kubernetes/storage/v1";
import { type Cluster, startCluster } from "./start-cluster.ts";
import { advanceUntil } from "../testing/advance-until.ts";

const namespace = "default";
const expansion = "homeostat.dev/expansion";

describe("a cluster with stateful workloads", () => {
  const clock = new FakeClock({ turnsMin: 2 });
  let cluster: Cluster;
  let client: Client;

  before(async () => {
    cluster = await startCluster({ clock, random: new SeededRandom(1) });
    client = createClient(cluster.transport(), { clock });
    await until(() => client.get(ServiceAccount, { namespace, name: "default" }), "the service account");
    await until(async () => (await client.list(StorageClass)).items.length > 0, "the storage class");
  });
  after(async () => {
    client.close();
    await cluster.stop();
  });

  /** Advances the clock until `look` returns a value, for at most two minutes of virtual time. */
  const until = <T>(look: () => Promise<T | undefined | false>, what: string): Promise<T> =>
    advanceUntil({ clock, stepMs: 200, steps: 600 }, look, what);

  const claim = (name: string): PersistentVolumeClaim => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { namespace, name },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });

  async function runPod(name: string, volume: NonNullable<NonNullable<Pod["spec"]>["volumes"]>[number]): Promise<void> {
    const containers = [{ name: "main", image: "example.com/app:1" }];
    const metadata = { namespace, name, labels: { pod: name } };
    await client.create(Pod, { apiVersion: "v1", kind: "Pod", metadata, spec: { containers, volumes: [volume] } });
  }

  const running = (name: string): Promise<Pod> =>
    until(async () => {
      const found = await client.get(Pod, { namespace, name });
      return found?.status?.phase === "Running" ? found : undefined;
    }, `the pod ${name}`);

  const statusOf = async (name: string): Promise<NonNullable<PersistentVolumeClaim["status"]>> =>
    (await client.get(PersistentVolumeClaim, { namespace, name }))?.status ?? {};

  const conditionsOf = async (name: string): Promise<readonly string[]> =>
    ((await statusOf(name)).conditions ?? []).map(({ type, status }) => `${type}=${status}`);

  const eventsAbout = async (kind: string, name: string): Promise<readonly string[]> =>
    (await client.list(Event, { namespace })).items
      .filter(({ involvedObject }) => involvedObject.kind === kind && involvedObject.name === name)
      .map(({ type, reason, message }) => `${type} ${reason} ${message}`);

  const grow = (name: string, mode?: string): Promise<unknown> => {
    const metadata = mode === undefined ? {} : { metadata: { annotations: { [expansion]: mode } } };
    const merge = { ...metadata, spec: { resources: { requests: { storage: "2Gi" } } } };
    return client.patch(PersistentVolumeClaim, { namespace, name }, { merge });
  };

  const bound = (name: string): Promise<unknown> =>
    until(async () => (await statusOf(name)).phase === "Bound", `the claim ${name}`);

  it("creates the claims of ephemeral volumes, and deletes them with their pod", async () => {
    const volumeClaimTemplate = { metadata: { labels: { of: "scratch" } }, spec: claim("x").spec ?? {} };
    await runPod("eph", { name: "scratch", ephemeral: { volumeClaimTemplate } });

    const pod = await running("eph");
    const found = await client.get(PersistentVolumeClaim, { namespace, name: "eph-scratch" });
    assert.equal(found?.status?.phase, "Bound");
    assert.deepEqual(found.metadata.labels, { of: "scratch" });
    assert.deepEqual(found.metadata.ownerReferences, [
      {
        apiVersion: "v1",
        kind: "Pod",
        name: "eph",
        uid: pod.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);

    await client.delete(Pod, { namespace, name: "eph" }, { gracePeriodSeconds: 0 });
    await until(
      async () => (await client.get(PersistentVolumeClaim, { namespace, name: "eph-scratch" })) === undefined,
      "the end of the claim",
    );
  });

  it("does not use a claim of the same name that was not created for the pod", async () => {
    await client.create(PersistentVolumeClaim, claim("other-scratch"));
    await bound("other-scratch");
    await runPod("other", { name: "scratch", ephemeral: { volumeClaimTemplate: { spec: claim("x").spec ?? {} } } });

    const problem = "PVC default/other-scratch was not created for pod default/other (pod is not owner)";
    await until(
      async () => (await eventsAbout("Pod", "other")).some((event) => event.includes("FailedBinding")),
      "the event",
    );
    const scheduled = await until(
      async () =>
        (await client.get(Pod, { namespace, name: "other" }))?.status?.conditions?.find(
          ({ type }) => type === "PodScheduled",
        ),
      "the condition",
    );
    assert.ok(
      (await eventsAbout("Pod", "other")).includes(`Warning FailedBinding ephemeral volume scratch: ${problem}`),
    );
    assert.ok(scheduled.message?.includes(problem), scheduled.message);
    await client.delete(Pod, { namespace, name: "other" }, { gracePeriodSeconds: 0 });
  });

  it("grows a volume at once by default", async () => {
    await client.create(PersistentVolumeClaim, claim("online"));
    await bound("online");

    await grow("online");
    await until(async () => (await statusOf("online")).capacity?.["storage"] === "2Gi", "the new size");

    assert.deepEqual(await conditionsOf("online"), []);
    assert.deepEqual((await statusOf("online")).allocatedResources, { storage: "2Gi" });
    const events = (await eventsAbout("PersistentVolumeClaim", "online")).map((event) => event.split(" ", 2)[1]);
    assert.deepEqual(events.slice(-2), ["Resizing", "VolumeResizeSuccessful"]);
  });

  it("holds the growth of a volume until another pod mounts it", async () => {
    await client.create(PersistentVolumeClaim, claim("held"));
    const volume = { name: "data", persistentVolumeClaim: { claimName: "held" } };
    await runPod("user", volume);
    await running("user");

    await grow("held", "offline");
    await until(async () => (await conditionsOf("held")).length === 2, "the conditions");
    assert.deepEqual(await conditionsOf("held"), ["Resizing=True", "FileSystemResizePending=True"]);
    await clock.advance(30_000);
    const held = await statusOf("held");
    assert.deepEqual(
      [held.capacity, held.allocatedResources, held.allocatedResourceStatuses],
      [{ storage: "1Gi" }, { storage: "2Gi" }, { storage: "NodeResizePending" }],
    );

    await client.delete(Pod, { namespace, name: "user" }, { gracePeriodSeconds: 0 });
    await until(async () => (await client.get(Pod, { namespace, name: "user" })) === undefined, "the end of the pod");
    assert.equal((await statusOf("held")).capacity?.["storage"], "1Gi");
    await runPod("user", volume);
    await until(async () => (await statusOf("held")).capacity?.["storage"] === "2Gi", "the new size");

    assert.deepEqual(await conditionsOf("held"), []);
    const reasons = (await eventsAbout("PersistentVolumeClaim", "held")).map((event) => event.split(" ", 2)[1]);
    assert.deepEqual(reasons.slice(-3), ["Resizing", "FileSystemResizeRequired", "FileSystemResizeSuccessful"]);
  });

  it("reports growth that fails, and retries it", async () => {
    await client.create(PersistentVolumeClaim, claim("broken"));
    await bound("broken");

    await grow("broken", "error: quota exceeded");
    await until(async () => (await conditionsOf("broken")).includes("ControllerResizeError=True"), "the condition");
    const { conditions = [] } = await statusOf("broken");
    assert.deepEqual(
      conditions.map(({ type, message }) => [type, message]),
      [
        ["Resizing", undefined],
        ["ControllerResizeError", "failed to expand pvc with quota exceeded"],
      ],
    );
    const merge = { metadata: { annotations: { [expansion]: null } } };
    await client.patch(PersistentVolumeClaim, { namespace, name: "broken" }, { merge });
    await until(async () => (await statusOf("broken")).capacity?.["storage"] === "2Gi", "the new size");

    assert.deepEqual(await conditionsOf("broken"), []);
  });

  it("resolves the names of EndpointSlices that another program writes", async () => {
    await runPod("target", { name: "tmp", emptyDir: {} });
    const ip = (await running("target")).status?.podIP ?? "";
    await client.create(Service, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { namespace, name: "brokers" },
      spec: { clusterIP: "None", ports: [{ port: 9092 }] },
    });
    const slice: EndpointSlice = {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { namespace, name: "brokers-1", labels: { "kubernetes.io/service-name": "brokers" } },
      addressType: "IPv4",
      endpoints: [
        { addresses: [ip], hostname: "broker-7" },
        { addresses: ["10.1.2.3"], hostname: "broker-8", conditions: { ready: false } },
      ],
      ports: [{ port: 9092 }],
    };
    await client.create(EndpointSlice, slice);

    const network = cluster.nodes[0]?.network;
    assert.ok(network !== undefined);
    await until(async () => network.lookup("brokers", namespace).length > 0, "the endpoints");

    assert.deepEqual(network.lookup("brokers", namespace), [ip]);
    assert.deepEqual(network.lookup("broker-7.brokers.default.svc.cluster.local", "other"), [ip]);
    assert.deepEqual(network.lookup("broker-8.brokers", namespace), []);
    await client.patch(
      EndpointSlice,
      { namespace, name: "brokers-1" },
      { merge: { endpoints: [{ addresses: ["10.1.2.3"], hostname: "broker-8" }] } },
    );
    await until(async () => network.lookup("brokers", namespace)[0] === "10.1.2.3", "the changed endpoints");
  });
});
