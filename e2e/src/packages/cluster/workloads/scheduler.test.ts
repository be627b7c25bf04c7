// Pods that fit, and pods that do not, with Kubernetes' scheduler and with ours: the same nodes, conditions and events.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { findCondition } from "@homeostat/core";
import { Event, Node, PersistentVolumeClaim, Pod, type Taint } from "@homeostat/kubernetes/core/v1";
import { reasonToSkip } from "../../../harness/cluster.ts";
import { allSides, type Side } from "./side.ts";
import { World } from "./world.ts";

const skip = (await reasonToSkip({ need: "control-plane" })) ?? false;

const container = (requests: object, more: object = {}): object => ({
  automountServiceAccountToken: false,
  containers: [{ name: "a", image: "example.com/a", resources: { requests }, ...more }],
});
const affinity = (operator: string, values?: readonly string[]): object => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [
        { matchExpressions: [{ key: "size", operator, ...(values === undefined ? {} : { values }) }] },
      ],
    },
  },
});
const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];

/** The pods by name; each is to be looked at by itself. */
const pods: Readonly<Record<string, object>> = {
  plain: container({}),
  small: container({ cpu: "100m", memory: "64Mi" }),
  "too-much-cpu": container({ cpu: "100" }),
  "too-much-of-both": container({ cpu: "100", memory: "1Ti" }),
  "cpu-in-use": container({ cpu: "3500m" }),
  "unknown-resource": container({}, { resources: { limits: { "example.com/gpu": "1" } } }),
  selected: { ...container({}), nodeSelector: { size: "large" } },
  "selected-nowhere": { ...container({}), nodeSelector: { size: "huge" } },
  wanted: { ...container({}), affinity: affinity("In", ["large", "medium"]) },
  "wanted-nowhere": { ...container({}), affinity: affinity("DoesNotExist") },
  tolerant: {
    ...container({}),
    nodeSelector: { kept: "true" },
    tolerations: [{ key: "kept", operator: "Exists", effect: "NoSchedule" }],
  },
  intolerant: { ...container({}), nodeSelector: { kept: "true" } },
  gated: { ...container({}), schedulingGates: [{ name: "example.com/wait" }] },
  "no-claim": { ...container({}), volumes: [{ name: "a", persistentVolumeClaim: { claimName: "missing" } }] },
  "unbound-claim": { ...container({}), volumes },
  other: { ...container({}), schedulerName: "another" },
};

const node = (name: string, labels: object, spec: object = {}): object => ({ metadata: { name, labels }, spec });
const allocatable = { cpu: "4", memory: "8Gi", pods: "20" };
const ready = (): object => {
  const time = new Date().toISOString().replace(/\.\d+/, "");
  const condition = {
    type: "Ready",
    status: "True",
    reason: "KubeletReady",
    lastHeartbeatTime: time,
    lastTransitionTime: time,
  };
  return { status: { capacity: allocatable, allocatable, conditions: [condition] } };
};

/** What a pod came to: whether it has a node, what its condition says, and its events. */
async function outcome(world: World, name: string): Promise<unknown> {
  const pod = await world.get(Pod, name);
  const events = (await world.list(Event)).filter(({ involvedObject }) => involvedObject.name === name);
  const condition = findCondition(pod?.status?.conditions, "PodScheduled");
  const { lastTransitionTime: _, lastProbeTime: __, ...rest } = condition ?? {};
  return {
    node: pod?.spec.nodeName,
    condition: rest,
    events: events
      .map(({ type, reason, message, action, reportingComponent }) => {
        return `${reportingComponent} ${type} ${reason} ${action}: ${message}`;
      })
      .toSorted(),
  };
}

describe("scheduling, with Kubernetes' scheduler and with ours", { skip }, () => {
  let sides: readonly Side[] = [];

  before(async () => {
    sides = await allSides();
  });
  after(async () => {
    await Promise.all(sides.map((side) => side[Symbol.asyncDispose]()));
  });

  /** Waits until a pod is decided: it has a node, or says why not. */
  const untilDecided = async (world: World, name: string): Promise<void> => {
    await world.until(`${name} is decided`, async () => {
      const pod = await world.get(Pod, name);
      const hasEvent = (await world.list(Event)).some(({ involvedObject }) => involvedObject.name === name);
      return hasEvent && pod?.status?.conditions?.some(({ type }) => type === "PodScheduled") === true;
    });
  };
  /** Waits until the scheduler has recorded its decision, which it does after the pod has its node. */
  const untilScheduledEvent = async (world: World, name: string): Promise<void> => {
    await world.until(`${name} has an event`, async () =>
      (await world.list(Event)).some(
        ({ reason, involvedObject }) => reason === "Scheduled" && involvedObject.name === name,
      ),
    );
  };
  const play = async (work: (world: World) => Promise<unknown>, namespace: string): Promise<readonly unknown[]> =>
    Promise.all(
      sides.map(async (side) => {
        const world = new World(side, namespace);
        await world.open();
        return work(world);
      }),
    );

  it("has nowhere to put a pod while there is no node, and puts it on the first", async () => {
    const [real, ours, embedded] = await play(async (world) => {
      await world.create(Pod, { metadata: { name: "first" }, spec: container({}) });
      await untilDecided(world, "first");
      const before = await outcome(world, "first");
      const { client } = world;
      for (const [name, labels, spec] of [
        ["large", { size: "large" }, {}],
        ["kept", { kept: "true", size: "small" }, { taints: [{ key: "kept", effect: "NoSchedule" }] }],
        ["cordoned", { size: "medium" }, { unschedulable: true }],
      ] as const) {
        await client.create(Node, node(name, labels, spec) as never);
        // The server itself keeps pods away from a new node until somebody says that it is ready.
        const taints: Taint[] | null = name === "kept" ? [{ key: "kept", effect: "NoSchedule" }] : null;
        await client.patch(Node, { name }, { merge: ready() }, { subresource: "status" });
        await client.patch(Node, { name }, { merge: { spec: { taints } } });
      }
      await world.until("it has a node", async () => ((await world.get(Pod, "first"))?.spec.nodeName ?? "") !== "");
      await untilScheduledEvent(world, "first");
      // How often it was tried in between depends on when each looked.
      const scheduled = (await world.list(Event)).filter(({ reason }) => reason === "Scheduled");
      return { before, events: scheduled.map(({ message }) => message) };
    }, "first");

    assert.deepEqual(ours, real, "our controllers");
    assert.deepEqual(embedded, real, "the embedded control plane");
  });

  it("gives the same answer for every kind of pod", async () => {
    const [real, ours, embedded] = await play(async (world) => {
      for (const name of ["large", "kept", "cordoned"]) {
        await world.client.patch(Node, { name }, { merge: ready() }, { subresource: "status" });
      }
      await world.create(PersistentVolumeClaim, {
        metadata: { name: "data" },
        spec: { accessModes: ["ReadWriteOnce"], storageClassName: "none", resources: { requests: { storage: "1Gi" } } },
      });
      await world.create(Pod, { metadata: { name: "busy" }, spec: { ...container({ cpu: "1" }), nodeName: "large" } });
      // The schedulers must have seen this pod and the nodes before they decide about the others.
      await world.settle();
      for (const [name, spec] of Object.entries(pods)) await world.create(Pod, { metadata: { name }, spec });
      for (const name of Object.keys(pods)) if (name !== "gated" && name !== "other") await untilDecided(world, name);
      await world.settle();
      const outcomes = await Promise.all(Object.keys(pods).map((name) => outcome(world, name)));
      return Object.fromEntries(Object.keys(pods).map((name, index) => [name, outcomes[index]]));
    }, "kinds");

    assert.deepEqual(ours, real, "our controllers");
    assert.deepEqual(embedded, real, "the embedded control plane");
  });

  it("puts a pod on a node when another goes", async () => {
    const [real, ours, embedded] = await play(async (world) => {
      await world.client.patch(Node, { name: "large" }, { merge: ready() }, { subresource: "status" });
      await world.create(Pod, {
        metadata: { name: "one" },
        spec: { ...container({ cpu: "2500m" }), nodeSelector: { size: "large" } },
      });
      await untilDecided(world, "one");
      await world.create(Pod, {
        metadata: { name: "two" },
        spec: { ...container({ cpu: "2500m" }), nodeSelector: { size: "large" } },
      });
      await untilDecided(world, "two");
      const before = await outcome(world, "two");
      await world.delete(Pod, "one", { gracePeriodSeconds: 0 });
      await world.until("it has a node", async () => (await world.get(Pod, "two"))?.spec.nodeName === "large");
      await untilScheduledEvent(world, "two");
      return { before, after: await outcome(world, "two") };
    }, "turn");

    assert.deepEqual(ours, real, "our controllers");
    assert.deepEqual(embedded, real, "the embedded control plane");
  });
});
