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
    name: "a ReplicaSet makes its pods and counts them",
    async play(world) {
      await world.create(ReplicaSet, { metadata: { name: "web" }, spec: { ...setSpec, replicas: 3 } });
      const pods = await world.untilPods(3);
      await world.run(pods.slice(0, 2));
    },
  },
  {
    name: "a ReplicaSet deletes the pods that are not ready first",
    async play(world) {
      await world.create(ReplicaSet, { metadata: { name: "web" }, spec: { ...setSpec, replicas: 4 } });
      const pods = await world.untilPods(4);
      await world.run(pods.slice(0, 2));
      await world.settle();
      await world.change(ReplicaSet, "web", { spec: { replicas: 2 } });
      await world.untilPods(2);
    },
  },
  {
    name: "a ReplicaSet heeds what the deletion of a pod costs",
    async play(world) {
      await world.create(ReplicaSet, { metadata: { name: "web" }, spec: { ...setSpec, replicas: 3 } });
      const pods = await world.untilPods(3);
      await world.run(pods);
      for (const [index, { metadata }] of pods.entries()) {
        const annotations = { "controller.kubernetes.io/pod-deletion-cost": String(index === 1 ? -5 : 10 * index) };
        await world.change(Pod, metadata.name, { metadata: { annotations } });
      }
      await world.settle();
      await world.change(ReplicaSet, "web", { spec: { replicas: 1 } });
      await world.untilPods(1);
    },
  },
  {
    name: "a ReplicaSet adopts a pod that fits, and lets one go that does not any more",
    async play(world) {
      const stray = { metadata: { generateName: "stray-", labels }, spec };
      await world.create(Pod, stray);
      await world.settle();
      await world.create(ReplicaSet, { metadata: { name: "web" }, spec: { ...setSpec, replicas: 2 } });
      const pods = await world.untilPods(2);
      const made = pods.find(({ metadata }) => metadata.name.startsWith("web-"));
      await world.settle();
      await world.change(Pod, made?.metadata.name ?? "", { metadata: { labels: { app: "other" } } });
      await world.untilPods(3);
    },
  },
  {
    name: "a ReplicaSet counts a pod as available after a while",
    async play(world) {
      await world.create(ReplicaSet, {
        metadata: { name: "web" },
        spec: { ...setSpec, replicas: 1, minReadySeconds: 3 },
      });
      await world.run(await world.untilPods(1));
      await world.until("one is available", async () => {
        return (await world.get(ReplicaSet, "web"))?.status?.availableReplicas === 1;
      });
    },
  },
  {
    name: "a ReplicaSet replaces pods that have ended or were deleted",
    async play(world) {
      await world.create(ReplicaSet, { metadata: { name: "web" }, spec: { ...setSpec, replicas: 2 } });
      const [first, second] = await world.untilPods(2);
      if (first !== undefined) await world.exit([first], 1);
      await world.delete(Pod, second?.metadata.name ?? "");
      await world.untilPods(3);
    },
  },
  {
    name: "a ReplicaSet tells why it cannot make its pods",
    async play(world) {
      await world.limitPods(0);
      await world.create(ReplicaSet, { metadata: { name: "web" }, spec: { ...setSpec, replicas: 1 } });
      await world.until("it says so", async () => {
        const hasEvent = (await world.list(Event)).some(({ reason }) => reason === "FailedCreate");
        return hasEvent && (await world.get(ReplicaSet, "web"))?.status?.conditions?.length === 1;
      });
    },
    isRestless: true,
  },
];
