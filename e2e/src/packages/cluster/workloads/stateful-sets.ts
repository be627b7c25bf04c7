import { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { Pod } from "@homeostat/kubernetes/core/v1";
import type { Scenario } from "./scenario.ts";
import type { World } from "./world.ts";

const container = { name: "db", image: "example.com/db:1" };
const pod = { containers: [container], automountServiceAccountToken: false };
const labels = { app: "db" };
const spec = { serviceName: "db", selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod } };
const image = (tag: string): object => ({
  spec: { template: { spec: { containers: [{ ...container, image: `example.com/db:<${tag}>` }] } } },
});
const claims = {
  volumeClaimTemplates: [
    {
      metadata: { name: "data", labels: { of: "db" } },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
  ],
};
const up = async (world: World, steps: number): Promise<void> => {
  for (let step = 0; step < steps; step += 1) {
    await world.settle();
    await world.runAll();
  }
};

/** Scenarios of StatefulSets. */
export const statefulScenarios: readonly Scenario[] = [
  {
    name: "a StatefulSet comes up one by one, with claims",
    async play(world) {
      await world.create(StatefulSet, { metadata: { name: "db" }, spec: { ...spec, ...claims, replicas: 3 } });
      await up(world, 2);
    },
  },
  {
    name: "a StatefulSet comes up all at once, from another number",
    async play(world) {
      const more = { replicas: 3, podManagementPolicy: "Parallel", ordinals: { start: 5 } };
      await world.create(StatefulSet, { metadata: { name: "db" }, spec: { ...spec, ...more } });
      await world.untilPods(3);
      await world.settle();
      await world.runAll();
    },
  },
  {
    name: "a StatefulSet is updated from its end, down to a partition",
    async play(world) {
      const updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: 1 } };
      await world.create(StatefulSet, {
        metadata: { name: "db", annotations: { note: "a" } },
        spec: { ...spec, replicas: 3, updateStrategy },
      });
      await up(world, 4);
      await world.settle();
      await world.change(StatefulSet, "db", image("2"));
      await up(world, 4);
    },
  },
  {
    name: "a StatefulSet is updated whole, and forgets its old revisions",
    async play(world) {
      await world.create(StatefulSet, {
        metadata: { name: "db" },
        spec: { ...spec, replicas: 2, revisionHistoryLimit: 1 },
      });
      await up(world, 3);
      for (const tag of ["2", "3", "1"]) {
        await world.settle();
        await world.change(StatefulSet, "db", image(tag));
        await up(world, 3);
      }
    },
  },
  {
    name: "a StatefulSet that is updated on deletion waits for it",
    async play(world) {
      const updateStrategy = { type: "OnDelete" };
      await world.create(StatefulSet, { metadata: { name: "db" }, spec: { ...spec, replicas: 2, updateStrategy } });
      await up(world, 3);
      await world.settle();
      await world.change(StatefulSet, "db", image("2"));
      await world.settle();
      await world.delete(Pod, "db-1");
      await up(world, 2);
    },
  },
  {
    name: "a StatefulSet is scaled down from its end, and its claims go with the pods",
    async play(world) {
      const persistentVolumeClaimRetentionPolicy = { whenDeleted: "Delete", whenScaled: "Delete" };
      const template = { metadata: { labels }, spec: { ...pod, nodeName: "somewhere" } };
      await world.create(StatefulSet, {
        metadata: { name: "db" },
        spec: { ...spec, ...claims, template, replicas: 3, persistentVolumeClaimRetentionPolicy },
      });
      await up(world, 4);
      await world.settle();
      await world.change(StatefulSet, "db", { spec: { replicas: 1 } });
      await world.settle();
    },
  },
  {
    name: "a StatefulSet makes a pod anew that has failed",
    async play(world) {
      await world.create(StatefulSet, { metadata: { name: "db" }, spec: { ...spec, replicas: 2 } });
      await up(world, 3);
      await world.settle();
      const [first] = await world.pods();
      if (first !== undefined) await world.exit([first], 1);
      await world.settle();
    },
  },
  {
    name: "a StatefulSet that comes and goes at once is scaled down",
    async play(world) {
      const more = { replicas: 4, podManagementPolicy: "Parallel" };
      await world.create(StatefulSet, { metadata: { name: "db" }, spec: { ...spec, ...claims, ...more } });
      await world.untilPods(4);
      await up(world, 1);
      await world.settle();
      await world.change(StatefulSet, "db", { spec: { replicas: 1 } });
      await world.settle();
      await world.change(StatefulSet, "db", { spec: { replicas: 2 } });
    },
  },
  {
    name: "a StatefulSet waits until a pod has been ready for a while",
    async play(world) {
      await world.create(StatefulSet, { metadata: { name: "db" }, spec: { ...spec, replicas: 2, minReadySeconds: 4 } });
      await world.run(await world.untilPods(1));
      await world.untilPods(2);
      await world.runAll();
      await world.until("both are available", async () => {
        return (await world.get(StatefulSet, "db"))?.status?.availableReplicas === 2;
      });
    },
  },
  {
    name: "a StatefulSet is stuck in an update, and another helps",
    async play(world) {
      await world.create(StatefulSet, { metadata: { name: "db" }, spec: { ...spec, replicas: 2 } });
      await up(world, 3);
      await world.settle();
      await world.change(StatefulSet, "db", image("bad"));
      await world.settle();
      await world.change(StatefulSet, "db", image("good"));
      await world.settle();
      await world.delete(Pod, "db-1");
      await up(world, 3);
    },
  },
  {
    name: "a StatefulSet repairs the labels of a pod, and makes a deleted one anew",
    async play(world) {
      const persistentVolumeClaimRetentionPolicy = { whenDeleted: "Delete", whenScaled: "Retain" };
      await world.create(StatefulSet, {
        metadata: { name: "db" },
        spec: { ...spec, ...claims, replicas: 2, persistentVolumeClaimRetentionPolicy },
      });
      await up(world, 3);
      await world.settle();
      const labels = { "statefulset.kubernetes.io/pod-name": null };
      await world.change(Pod, "db-0", { metadata: { labels } });
      await world.settle();
      await world.delete(Pod, "db-0");
      await up(world, 2);
    },
  },
];
