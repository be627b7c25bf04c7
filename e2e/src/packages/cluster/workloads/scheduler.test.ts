// Schedulable and unschedulable pods with kube-scheduler and with ours: compares nodes, conditions and events.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { findCondition } from "@homeostat/core";
import { Event, Node, PersistentVolumeClaim, Pod, type Taint } from "@homeostat/kubernetes/core/v1";
import { reasonToSkip } from "../../../harness/cluster.ts";
import { allSubjects, type Subject } from "./subject.ts";
import { Stage } from "./stage.ts";

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

/** Pods by name; each is scheduled alone. */
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

/** Returns the decision about a pod: node, condition and events. */
async function outcome(stage: Stage, name: string): Promise<unknown> {
  const pod = await stage.get(Pod, name);
  const events = (await stage.list(Event)).filter(({ involvedObject }) => involvedObject.name === name);
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

describe("scheduling with kube-scheduler and with ours", { skip }, () => {
  let subjects: readonly Subject[] = [];

  before(async () => {
    subjects = await allSubjects();
  });
  after(async () => {
    await Promise.all(subjects.map((side) => side[Symbol.asyncDispose]()));
  });

  /** Waits until a pod is bound or has an Unschedulable condition. */
  const untilDecided = async (stage: Stage, name: string): Promise<void> => {
    await stage.until(`${name} is decided`, async () => {
      const pod = await stage.get(Pod, name);
      const hasEvent = (await stage.list(Event)).some(({ involvedObject }) => involvedObject.name === name);
      return hasEvent && pod?.status?.conditions?.some(({ type }) => type === "PodScheduled") === true;
    });
  };
  /** Waits until the scheduler has recorded its decision, which it does after the pod has its node. */
  const untilScheduledEvent = async (stage: Stage, name: string): Promise<void> => {
    await stage.until(`${name} has an event`, async () =>
      (await stage.list(Event)).some(
        ({ reason, involvedObject }) => reason === "Scheduled" && involvedObject.name === name,
      ),
    );
  };
  const play = async (work: (stage: Stage) => Promise<unknown>, namespace: string): Promise<readonly unknown[]> =>
    Promise.all(
      subjects.map(async (side) => {
        const stage = new Stage(side, namespace);
        await stage.open();
        return work(stage);
      }),
    );

  it("leaves a pod pending without nodes, and binds it when the first node appears", async () => {
    const [real, ours, embedded] = await play(async (stage) => {
      await stage.create(Pod, { metadata: { name: "first" }, spec: container({}) });
      await untilDecided(stage, "first");
      const before = await outcome(stage, "first");
      const { client } = stage;
      for (const [name, labels, spec] of [
        ["large", { size: "large" }, {}],
        ["kept", { kept: "true", size: "small" }, { taints: [{ key: "kept", effect: "NoSchedule" }] }],
        ["cordoned", { size: "medium" }, { unschedulable: true }],
      ] as const) {
        await client.create(Node, node(name, labels, spec) as never);
        // The API server taints a new node until it is ready.
        const taints: Taint[] | null = name === "kept" ? [{ key: "kept", effect: "NoSchedule" }] : null;
        await client.patch(Node, { name }, { merge: ready() }, { subresource: "status" });
        await client.patch(Node, { name }, { merge: { spec: { taints } } });
      }
      await stage.until("it has a node", async () => ((await stage.get(Pod, "first"))?.spec.nodeName ?? "") !== "");
      await untilScheduledEvent(stage, "first");
      // The number of attempts in between depends on timing.
      const scheduled = (await stage.list(Event)).filter(({ reason }) => reason === "Scheduled");
      return { before, events: scheduled.map(({ message }) => message) };
    }, "first");

    assert.deepEqual(ours, real, "our controllers");
    assert.deepEqual(embedded, real, "the embedded control plane");
  });

  it("makes the same decision for every kind of pod", async () => {
    const [real, ours, embedded] = await play(async (stage) => {
      for (const name of ["large", "kept", "cordoned"]) {
        await stage.client.patch(Node, { name }, { merge: ready() }, { subresource: "status" });
      }
      await stage.create(PersistentVolumeClaim, {
        metadata: { name: "data" },
        spec: { accessModes: ["ReadWriteOnce"], storageClassName: "none", resources: { requests: { storage: "1Gi" } } },
      });
      await stage.create(Pod, { metadata: { name: "busy" }, spec: { ...container({ cpu: "1" }), nodeName: "large" } });
      // The schedulers must have seen this pod and the nodes before they decide about the others.
      await stage.settle();
      for (const [name, spec] of Object.entries(pods)) await stage.create(Pod, { metadata: { name }, spec });
      for (const name of Object.keys(pods)) if (name !== "gated" && name !== "other") await untilDecided(stage, name);
      await stage.settle();
      const outcomes = await Promise.all(Object.keys(pods).map((name) => outcome(stage, name)));
      return Object.fromEntries(Object.keys(pods).map((name, index) => [name, outcomes[index]]));
    }, "kinds");

    assert.deepEqual(ours, real, "our controllers");
    assert.deepEqual(embedded, real, "the embedded control plane");
  });

  it("binds a pending pod when another pod is deleted", async () => {
    const [real, ours, embedded] = await play(async (stage) => {
      await stage.client.patch(Node, { name: "large" }, { merge: ready() }, { subresource: "status" });
      await stage.create(Pod, {
        metadata: { name: "one" },
        spec: { ...container({ cpu: "2500m" }), nodeSelector: { size: "large" } },
      });
      await untilDecided(stage, "one");
      await stage.create(Pod, {
        metadata: { name: "two" },
        spec: { ...container({ cpu: "2500m" }), nodeSelector: { size: "large" } },
      });
      await untilDecided(stage, "two");
      const before = await outcome(stage, "two");
      await stage.delete(Pod, "one", { gracePeriodSeconds: 0 });
      await stage.until("it has a node", async () => (await stage.get(Pod, "two"))?.spec.nodeName === "large");
      await untilScheduledEvent(stage, "two");
      return { before, after: await outcome(stage, "two") };
    }, "turn");

    assert.deepEqual(ours, real, "our controllers");
    assert.deepEqual(embedded, real, "the embedded control plane");
  });
});
