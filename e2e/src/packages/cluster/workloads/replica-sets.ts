import { ReplicaSet } from "@homeostat/kubernetes/apps/v1";
import { Event, Pod } from "@homeostat/kubernetes/core/v1";
import type { Scenario } from "./scenario.ts";

const spec = {
  containers: [{ name: "web", image: "example.com/web:1" }],
  automountServiceAccountToken: false,
};
const labels = { app: "web" };
const setSpec = {
  selector: { matchLabels: labels },
  template: { metadata: { labels: { ...labels, tier: "a" } }, spec },
};

/** Scenarios of ReplicaSets. */
export const replicaSetScenarios: readonly Scenario[] = [
  {
    name: "a ReplicaSet creates its pods and counts them",
    async play(stage) {
      await stage.create(ReplicaSet, { metadata: { name: "web" }, spec: { ...setSpec, replicas: 3 } });
      const pods = await stage.untilPods(3);
      await stage.run(pods.slice(0, 2));
    },
  },
  {
    name: "a ReplicaSet deletes the pods that are not ready first",
    async play(stage) {
      await stage.create(ReplicaSet, { metadata: { name: "web" }, spec: { ...setSpec, replicas: 4 } });
      const pods = await stage.untilPods(4);
      await stage.run(pods.slice(0, 2));
      await stage.settle();
      await stage.change(ReplicaSet, "web", { spec: { replicas: 2 } });
      await stage.untilPods(2);
    },
  },
  {
    name: "a ReplicaSet uses the pod deletion cost",
    async play(stage) {
      await stage.create(ReplicaSet, { metadata: { name: "web" }, spec: { ...setSpec, replicas: 3 } });
      const pods = await stage.untilPods(3);
      await stage.run(pods);
      for (const [index, { metadata }] of pods.entries()) {
        const annotations = { "controller.kubernetes.io/pod-deletion-cost": String(index === 1 ? -5 : 10 * index) };
        await stage.change(Pod, metadata.name, { metadata: { annotations } });
      }
      await stage.settle();
      await stage.change(ReplicaSet, "web", { spec: { replicas: 1 } });
      await stage.untilPods(1);
    },
  },
  {
    name: "a ReplicaSet adopts a matching pod and releases one that no longer matches",
    async play(stage) {
      const stray = { metadata: { generateName: "stray-", labels }, spec };
      await stage.create(Pod, stray);
      await stage.settle();
      await stage.create(ReplicaSet, { metadata: { name: "web" }, spec: { ...setSpec, replicas: 2 } });
      const pods = await stage.untilPods(2);
      const made = pods.find(({ metadata }) => metadata.name.startsWith("web-"));
      await stage.settle();
      await stage.change(Pod, made?.metadata.name ?? "", { metadata: { labels: { app: "other" } } });
      await stage.untilPods(3);
    },
  },
  {
    name: "a ReplicaSet counts a pod as available after minReadySeconds",
    async play(stage) {
      await stage.create(ReplicaSet, {
        metadata: { name: "web" },
        spec: { ...setSpec, replicas: 1, minReadySeconds: 3 },
      });
      await stage.run(await stage.untilPods(1));
      await stage.until("one is available", async () => {
        return (await stage.get(ReplicaSet, "web"))?.status?.availableReplicas === 1;
      });
    },
  },
  {
    name: "a ReplicaSet replaces pods that ended or were deleted",
    async play(stage) {
      await stage.create(ReplicaSet, { metadata: { name: "web" }, spec: { ...setSpec, replicas: 2 } });
      const [first, second] = await stage.untilPods(2);
      if (first !== undefined) await stage.exit([first], 1);
      await stage.delete(Pod, second?.metadata.name ?? "");
      await stage.untilPods(3);
    },
  },
  {
    name: "a ReplicaSet reports why it cannot create its pods",
    async play(stage) {
      await stage.limitPods(0);
      await stage.create(ReplicaSet, { metadata: { name: "web" }, spec: { ...setSpec, replicas: 1 } });
      await stage.until("it says so", async () => {
        const hasEvent = (await stage.list(Event)).some(({ reason }) => reason === "FailedCreate");
        return hasEvent && (await stage.get(ReplicaSet, "web"))?.status?.conditions?.length === 1;
      });
    },
    retriesForever: true,
  },
];
