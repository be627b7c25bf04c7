import { systemClock } from "@homeostat/core";
import { Deployment, ReplicaSet } from "@homeostat/kubernetes/apps/v1";
import type { Scenario } from "./scenario.ts";
import type { World } from "./world.ts";

const container = {
  name: "web",
  image: "example.com/web:1",
  resources: { requests: { cpu: "100m", memory: "1.5Gi" } },
};
const pod = { containers: [container], automountServiceAccountToken: false };
const labels = { app: "web" };
const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod } };
const image = (tag: string): object => ({
  spec: { template: { spec: { containers: [{ ...container, image: `example.com/web:${tag}` }] } } },
});
const fullyUp = async (world: World, steps: number): Promise<void> => {
  for (let step = 0; step < steps; step += 1) {
    await world.settle();
    await world.runAll();
  }
};

/** Scenarios of Deployments. */
export const deploymentScenarios: readonly Scenario[] = [
  {
    name: "a Deployment comes up",
    async play(world) {
      const annotations = { "example.com/note": "hello" };
      await world.create(Deployment, { metadata: { name: "web", annotations }, spec: { ...spec, replicas: 2 } });
      await world.untilPods(2);
      await world.settle();
      const [first] = await world.pods();
      if (first !== undefined) await world.run([first]);
      await world.settle();
      await world.runAll();
    },
  },
  {
    name: "a Deployment rolls out another template",
    async play(world) {
      await world.create(Deployment, { metadata: { name: "web" }, spec: { ...spec, replicas: 3 } });
      await world.untilPods(3);
      await fullyUp(world, 1);
      await world.settle();
      await world.change(Deployment, "web", image("2"));
      await fullyUp(world, 4);
    },
  },
  {
    name: "a Deployment with ten pods rolls out as fast as it may",
    async play(world) {
      const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: "30%", maxUnavailable: "25%" } };
      await world.create(Deployment, { metadata: { name: "web" }, spec: { ...spec, replicas: 7, strategy } });
      await world.untilPods(7);
      await fullyUp(world, 1);
      await world.settle();
      await world.change(Deployment, "web", image("2"));
    },
  },
  {
    name: "a Deployment that recreates its pods lets the old ones go first",
    async play(world) {
      const strategy = { type: "Recreate" };
      const template = { metadata: { labels }, spec: { ...pod, nodeName: "somewhere" } };
      await world.create(Deployment, { metadata: { name: "web" }, spec: { ...spec, template, replicas: 2, strategy } });
      await world.untilPods(2);
      await fullyUp(world, 1);
      await world.settle();
      await world.change(Deployment, "web", image("2"));
      await world.until("old pods are told to go", async () => {
        return (await world.pods()).every(({ metadata }) => metadata.deletionTimestamp !== undefined);
      });
      await world.settle();
      await world.reap();
      await world.untilPods(2);
      await fullyUp(world, 1);
    },
  },
  {
    name: "a Deployment is scaled, and paused, and scaled in the middle of a rollout",
    async play(world) {
      await world.create(Deployment, { metadata: { name: "web" }, spec: { ...spec, replicas: 4 } });
      await world.untilPods(4);
      await fullyUp(world, 1);
      await world.settle();
      await world.change(Deployment, "web", image("2"));
      await world.settle();
      await world.change(Deployment, "web", { spec: { paused: true } });
      await world.settle();
      await world.change(Deployment, "web", { spec: { replicas: 10 } });
      await world.settle();
      await world.change(Deployment, "web", { spec: { paused: false, replicas: 8 } });
    },
  },
  {
    name: "a Deployment goes back to an earlier template, and forgets old ones",
    async play(world) {
      const replicas = 1;
      await world.create(Deployment, {
        metadata: { name: "web" },
        spec: { ...spec, replicas, revisionHistoryLimit: 1 },
      });
      await fullyUp(world, 2);
      for (const tag of ["2", "3", "2"]) {
        await world.settle();
        await world.change(Deployment, "web", image(tag));
        await fullyUp(world, 2);
      }
    },
  },
  {
    name: "a Deployment rolls back by its annotation",
    async play(world) {
      await world.create(Deployment, { metadata: { name: "web" }, spec: { ...spec, replicas: 1 } });
      await fullyUp(world, 2);
      await world.settle();
      await world.change(Deployment, "web", image("2"));
      await fullyUp(world, 2);
      await world.settle();
      const annotations = { "deprecated.deployment.rollback.to": "1" };
      await world.change(Deployment, "web", { metadata: { annotations } });
      await fullyUp(world, 2);
    },
  },
  {
    name: "a Deployment that does not get on says so",
    async play(world) {
      await world.create(Deployment, {
        metadata: { name: "web" },
        spec: { ...spec, replicas: 1, progressDeadlineSeconds: 3, minReadySeconds: 1 },
      });
      await world.until("it is late", async () => {
        const conditions = (await world.get(Deployment, "web"))?.status?.conditions ?? [];
        return conditions.some(({ reason }) => reason === "ProgressDeadlineExceeded");
      });
    },
  },
  {
    name: "a Deployment with no pods is complete",
    async play(world) {
      await world.create(Deployment, { metadata: { name: "web" }, spec: { ...spec, replicas: 0 } });
    },
  },
  {
    name: "a Deployment is deleted, and all it has goes with it, first or last",
    async play(world) {
      await world.create(Deployment, { metadata: { name: "web" }, spec: { ...spec, replicas: 2 } });
      await world.untilPods(2);
      await world.settle();
      await world.delete(Deployment, "web", { propagation: "Foreground" });
      await world.until("all is gone", async () => (await world.pods()).length === 0);
      await world.until("it is gone", async () => (await world.get(Deployment, "web")) === undefined);
    },
  },
  {
    name: "a Deployment takes over pods and sets that another has left behind",
    async play(world) {
      await world.create(Deployment, { metadata: { name: "web" }, spec: { ...spec, replicas: 2 } });
      await world.untilPods(2);
      await world.settle();
      await world.delete(Deployment, "web", { propagation: "Orphan" });
      await world.until("it is gone", async () => (await world.get(Deployment, "web")) === undefined);
      await world.settle();
      await world.create(Deployment, { metadata: { name: "web" }, spec: { ...spec, replicas: 3 } });
      await world.untilPods(3);
    },
  },
  {
    name: "a Deployment changes its mind in the middle of a rollout",
    async play(world) {
      await world.create(Deployment, { metadata: { name: "web" }, spec: { ...spec, replicas: 3 } });
      await world.untilPods(3);
      await fullyUp(world, 1);
      await world.settle();
      await world.change(Deployment, "web", image("2"));
      await world.settle();
      await world.change(Deployment, "web", image("3"));
      await fullyUp(world, 2);
    },
  },
  {
    name: "a Deployment passes its annotations and its patience on",
    async play(world) {
      await world.create(Deployment, { metadata: { name: "web" }, spec: { ...spec, replicas: 1 } });
      await fullyUp(world, 2);
      await world.settle();
      const annotations = { "kubernetes.io/change-cause": "because" };
      await world.change(Deployment, "web", { metadata: { annotations }, spec: { minReadySeconds: 2 } });
      await world.settle();
      await world.change(Deployment, "web", image("2"));
      await fullyUp(world, 2);
    },
  },
  {
    name: "a Deployment gets over its lateness",
    async play(world) {
      await world.create(Deployment, {
        metadata: { name: "web" },
        spec: { ...spec, replicas: 2, progressDeadlineSeconds: 2 },
      });
      await world.until("it is late", async () => {
        const conditions = (await world.get(Deployment, "web"))?.status?.conditions ?? [];
        return conditions.some(({ reason }) => reason === "ProgressDeadlineExceeded");
      });
      await world.settle();
      const [first] = await world.pods();
      if (first !== undefined) await world.run([first]);
      await world.settle();
      await world.runAll();
    },
  },
  {
    name: "a Deployment is scaled down to nothing and up again during a rollout",
    async play(world) {
      await world.create(Deployment, { metadata: { name: "web" }, spec: { ...spec, replicas: 4 } });
      await world.untilPods(4);
      await fullyUp(world, 1);
      await world.settle();
      await world.change(Deployment, "web", image("2"));
      await world.settle();
      await world.change(Deployment, "web", { spec: { replicas: 0 } });
      await world.settle();
      await world.change(Deployment, "web", { spec: { replicas: 3 } });
      await fullyUp(world, 1);
    },
  },
  {
    name: "a Deployment whose pods are not let in says so",
    async play(world) {
      await world.limitPods(1);
      await world.create(Deployment, { metadata: { name: "web" }, spec: { ...spec, replicas: 2 } });
      await world.until("it says so", async () => {
        const conditions = (await world.get(Deployment, "web"))?.status?.conditions ?? [];
        return conditions.some(({ type }) => type === "ReplicaFailure");
      });
      await systemClock.sleep(3000);
    },
    isRestless: true,
  },
  {
    name: "a Deployment finds the name of its set taken",
    async play(world) {
      await world.create(ReplicaSet, {
        metadata: { name: "web-79c7c4cfcf" },
        spec: {
          replicas: 0,
          selector: { matchLabels: { app: "other" } },
          template: { metadata: { labels: { app: "other" } }, spec: pod },
        },
      });
      await world.create(Deployment, { metadata: { name: "web" }, spec: { ...spec, replicas: 1 } });
      await world.untilPods(1);
    },
  },
];
