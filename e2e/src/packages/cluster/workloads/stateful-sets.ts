import { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { Pod } from "@homeostat/kubernetes/core/v1";
import type { Scenario } from "./scenario.ts";
import type { Stage } from "./stage.ts";

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
const up = async (stage: Stage, steps: number): Promise<void> => {
  for (let step = 0; step < steps; step += 1) {
    await stage.settle();
    await stage.runAll();
  }
};

/** Scenarios of StatefulSets. */
export const statefulScenarios: readonly Scenario[] = [
  {
    name: "a StatefulSet starts its pods one by one, with claims",
    async play(stage) {
      await stage.create(StatefulSet, { metadata: { name: "db" }, spec: { ...spec, ...claims, replicas: 3 } });
      await up(stage, 2);
    },
  },
  {
    name: "a StatefulSet starts its pods in parallel, with another start ordinal",
    async play(stage) {
      const more = { replicas: 3, podManagementPolicy: "Parallel", ordinals: { start: 5 } };
      await stage.create(StatefulSet, { metadata: { name: "db" }, spec: { ...spec, ...more } });
      await stage.untilPods(3);
      await stage.settle();
      await stage.runAll();
    },
  },
  {
    name: "a StatefulSet is updated from the highest ordinal down to a partition",
    async play(stage) {
      const updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: 1 } };
      await stage.create(StatefulSet, {
        metadata: { name: "db", annotations: { note: "a" } },
        spec: { ...spec, replicas: 3, updateStrategy },
      });
      await up(stage, 4);
      await stage.settle();
      await stage.change(StatefulSet, "db", image("2"));
      await up(stage, 4);
    },
  },
  {
    name: "a StatefulSet is updated completely and deletes old revisions",
    async play(stage) {
      await stage.create(StatefulSet, {
        metadata: { name: "db" },
        spec: { ...spec, replicas: 2, revisionHistoryLimit: 1 },
      });
      await up(stage, 3);
      for (const tag of ["2", "3", "1"]) {
        await stage.settle();
        await stage.change(StatefulSet, "db", image(tag));
        await up(stage, 3);
      }
    },
  },
  {
    name: "a StatefulSet with strategy OnDelete waits for deletions",
    async play(stage) {
      const updateStrategy = { type: "OnDelete" };
      await stage.create(StatefulSet, { metadata: { name: "db" }, spec: { ...spec, replicas: 2, updateStrategy } });
      await up(stage, 3);
      await stage.settle();
      await stage.change(StatefulSet, "db", image("2"));
      await stage.settle();
      await stage.delete(Pod, "db-1");
      await up(stage, 2);
    },
  },
  {
    name: "a StatefulSet is scaled down from the highest ordinal, and its claims are deleted with the pods",
    async play(stage) {
      const persistentVolumeClaimRetentionPolicy = { whenDeleted: "Delete", whenScaled: "Delete" };
      const template = { metadata: { labels }, spec: { ...pod, nodeName: "somewhere" } };
      await stage.create(StatefulSet, {
        metadata: { name: "db" },
        spec: { ...spec, ...claims, template, replicas: 3, persistentVolumeClaimRetentionPolicy },
      });
      await up(stage, 4);
      await stage.settle();
      await stage.change(StatefulSet, "db", { spec: { replicas: 1 } });
      await stage.settle();
    },
  },
  {
    name: "a StatefulSet recreates a failed pod",
    async play(stage) {
      await stage.create(StatefulSet, { metadata: { name: "db" }, spec: { ...spec, replicas: 2 } });
      await up(stage, 3);
      await stage.settle();
      const [first] = await stage.pods();
      if (first !== undefined) await stage.exit([first], 1);
      await stage.settle();
    },
  },
  {
    name: "a StatefulSet with parallel pod management is scaled down",
    async play(stage) {
      const more = { replicas: 4, podManagementPolicy: "Parallel" };
      await stage.create(StatefulSet, { metadata: { name: "db" }, spec: { ...spec, ...claims, ...more } });
      await stage.untilPods(4);
      await up(stage, 1);
      await stage.settle();
      await stage.change(StatefulSet, "db", { spec: { replicas: 1 } });
      await stage.settle();
      await stage.change(StatefulSet, "db", { spec: { replicas: 2 } });
    },
  },
  {
    name: "a StatefulSet waits for minReadySeconds of a pod",
    async play(stage) {
      await stage.create(StatefulSet, { metadata: { name: "db" }, spec: { ...spec, replicas: 2, minReadySeconds: 4 } });
      await stage.run(await stage.untilPods(1));
      await stage.untilPods(2);
      await stage.runAll();
      await stage.until("both are available", async () => {
        return (await stage.get(StatefulSet, "db"))?.status?.availableReplicas === 2;
      });
    },
  },
  {
    name: "a StatefulSet is stuck in an update, which another update resolves",
    async play(stage) {
      await stage.create(StatefulSet, { metadata: { name: "db" }, spec: { ...spec, replicas: 2 } });
      await up(stage, 3);
      await stage.settle();
      await stage.change(StatefulSet, "db", image("bad"));
      await stage.settle();
      await stage.change(StatefulSet, "db", image("good"));
      await stage.settle();
      await stage.delete(Pod, "db-1");
      await up(stage, 3);
    },
  },
  {
    name: "a StatefulSet repairs the labels of a pod and recreates a deleted one",
    async play(stage) {
      const persistentVolumeClaimRetentionPolicy = { whenDeleted: "Delete", whenScaled: "Retain" };
      await stage.create(StatefulSet, {
        metadata: { name: "db" },
        spec: { ...spec, ...claims, replicas: 2, persistentVolumeClaimRetentionPolicy },
      });
      await up(stage, 3);
      await stage.settle();
      const labels = { "statefulset.kubernetes.io/pod-name": null };
      await stage.change(Pod, "db-0", { metadata: { labels } });
      await stage.settle();
      await stage.delete(Pod, "db-0");
      await up(stage, 2);
    },
  },
];
