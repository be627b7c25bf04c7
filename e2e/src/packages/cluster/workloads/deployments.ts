import { systemClock } from "@homeostat/core";
import { Deployment, ReplicaSet } from "@homeostat/kubernetes/apps/v1";
import type { Scenario } from "./scenario.ts";
import type { Stage } from "./stage.ts";

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
const rollOut = async (stage: Stage, steps: number): Promise<void> => {
  for (let step = 0; step < steps; step += 1) {
    await stage.settle();
    await stage.runAll();
  }
};

/** Scenarios of Deployments. */
export const deploymentScenarios: readonly Scenario[] = [
  {
    name: "a Deployment starts its pods",
    async play(stage) {
      const annotations = { "example.com/note": "hello" };
      await stage.create(Deployment, { metadata: { name: "web", annotations }, spec: { ...spec, replicas: 2 } });
      await stage.untilPods(2);
      await stage.settle();
      const [first] = await stage.pods();
      if (first !== undefined) await stage.run([first]);
      await stage.settle();
      await stage.runAll();
    },
  },
  {
    name: "a Deployment rolls out a changed template",
    async play(stage) {
      await stage.create(Deployment, { metadata: { name: "web" }, spec: { ...spec, replicas: 3 } });
      await stage.untilPods(3);
      await rollOut(stage, 1);
      await stage.settle();
      await stage.change(Deployment, "web", image("2"));
      await rollOut(stage, 4);
    },
  },
  {
    name: "a Deployment with ten pods rolls out as fast as maxSurge and maxUnavailable allow",
    async play(stage) {
      const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: "30%", maxUnavailable: "25%" } };
      await stage.create(Deployment, { metadata: { name: "web" }, spec: { ...spec, replicas: 7, strategy } });
      await stage.untilPods(7);
      await rollOut(stage, 1);
      await stage.settle();
      await stage.change(Deployment, "web", image("2"));
    },
  },
  {
    name: "a Deployment with strategy Recreate deletes the old pods first",
    mayKeepProgressing: true,
    async play(stage) {
      const strategy = { type: "Recreate" };
      const template = { metadata: { labels }, spec: { ...pod, nodeName: "somewhere" } };
      await stage.create(Deployment, { metadata: { name: "web" }, spec: { ...spec, template, replicas: 2, strategy } });
      await stage.untilPods(2);
      await rollOut(stage, 1);
      await stage.settle();
      await stage.change(Deployment, "web", image("2"));
      await stage.until("old pods are terminating", async () => {
        return (await stage.pods()).every(({ metadata }) => metadata.deletionTimestamp !== undefined);
      });
      await stage.settle();
      await stage.reap();
      await stage.untilPods(2);
      await rollOut(stage, 1);
    },
  },
  {
    name: "a Deployment is scaled, paused, and scaled during a rollout",
    async play(stage) {
      await stage.create(Deployment, { metadata: { name: "web" }, spec: { ...spec, replicas: 4 } });
      await stage.untilPods(4);
      await rollOut(stage, 1);
      await stage.settle();
      await stage.change(Deployment, "web", image("2"));
      await stage.settle();
      await stage.change(Deployment, "web", { spec: { paused: true } });
      await stage.settle();
      await stage.change(Deployment, "web", { spec: { replicas: 10 } });
      await stage.settle();
      await stage.change(Deployment, "web", { spec: { paused: false, replicas: 8 } });
    },
  },
  {
    name: "a Deployment returns to an earlier template and deletes old ReplicaSets",
    async play(stage) {
      const replicas = 1;
      await stage.create(Deployment, {
        metadata: { name: "web" },
        spec: { ...spec, replicas, revisionHistoryLimit: 1 },
      });
      await rollOut(stage, 2);
      for (const tag of ["2", "3", "2"]) {
        await stage.settle();
        await stage.change(Deployment, "web", image(tag));
        await rollOut(stage, 2);
      }
    },
  },
  {
    name: "a Deployment rolls back by its annotation",
    async play(stage) {
      await stage.create(Deployment, { metadata: { name: "web" }, spec: { ...spec, replicas: 1 } });
      await rollOut(stage, 2);
      await stage.settle();
      await stage.change(Deployment, "web", image("2"));
      await rollOut(stage, 2);
      await stage.settle();
      const annotations = { "deprecated.deployment.rollback.to": "1" };
      await stage.change(Deployment, "web", { metadata: { annotations } });
      await rollOut(stage, 2);
    },
  },
  {
    name: "a Deployment that exceeds its progress deadline has a condition",
    async play(stage) {
      await stage.create(Deployment, {
        metadata: { name: "web" },
        spec: { ...spec, replicas: 1, progressDeadlineSeconds: 3, minReadySeconds: 1 },
      });
      await stage.until("it is late", async () => {
        const conditions = (await stage.get(Deployment, "web"))?.status?.conditions ?? [];
        return conditions.some(({ reason }) => reason === "ProgressDeadlineExceeded");
      });
    },
  },
  {
    name: "a Deployment without pods is complete",
    async play(stage) {
      await stage.create(Deployment, { metadata: { name: "web" }, spec: { ...spec, replicas: 0 } });
    },
  },
  {
    name: "a Deployment is deleted with its dependents, in the foreground or background",
    async play(stage) {
      await stage.create(Deployment, { metadata: { name: "web" }, spec: { ...spec, replicas: 2 } });
      await stage.untilPods(2);
      await stage.settle();
      await stage.delete(Deployment, "web", { propagation: "Foreground" });
      await stage.until("all is gone", async () => (await stage.pods()).length === 0);
      await stage.until("it is gone", async () => (await stage.get(Deployment, "web")) === undefined);
    },
  },
  {
    name: "a Deployment adopts pods and ReplicaSets that another has orphaned",
    async play(stage) {
      await stage.create(Deployment, { metadata: { name: "web" }, spec: { ...spec, replicas: 2 } });
      await stage.untilPods(2);
      await stage.settle();
      await stage.delete(Deployment, "web", { propagation: "Orphan" });
      await stage.until("it is gone", async () => (await stage.get(Deployment, "web")) === undefined);
      await stage.settle();
      await stage.create(Deployment, { metadata: { name: "web" }, spec: { ...spec, replicas: 3 } });
      await stage.untilPods(3);
    },
  },
  {
    name: "a Deployment changes its template again during a rollout",
    async play(stage) {
      await stage.create(Deployment, { metadata: { name: "web" }, spec: { ...spec, replicas: 3 } });
      await stage.untilPods(3);
      await rollOut(stage, 1);
      await stage.settle();
      await stage.change(Deployment, "web", image("2"));
      await stage.settle();
      await stage.change(Deployment, "web", image("3"));
      await rollOut(stage, 2);
    },
  },
  {
    name: "a Deployment copies its annotations and minReadySeconds to its ReplicaSet",
    async play(stage) {
      await stage.create(Deployment, { metadata: { name: "web" }, spec: { ...spec, replicas: 1 } });
      await rollOut(stage, 2);
      await stage.settle();
      const annotations = { "kubernetes.io/change-cause": "because" };
      await stage.change(Deployment, "web", { metadata: { annotations }, spec: { minReadySeconds: 2 } });
      await stage.settle();
      await stage.change(Deployment, "web", image("2"));
      await rollOut(stage, 2);
    },
  },
  {
    name: "a Deployment recovers from an exceeded progress deadline",
    async play(stage) {
      await stage.create(Deployment, {
        metadata: { name: "web" },
        spec: { ...spec, replicas: 2, progressDeadlineSeconds: 2 },
      });
      await stage.until("it is late", async () => {
        const conditions = (await stage.get(Deployment, "web"))?.status?.conditions ?? [];
        return conditions.some(({ reason }) => reason === "ProgressDeadlineExceeded");
      });
      await stage.settle();
      const [first] = await stage.pods();
      if (first !== undefined) await stage.run([first]);
      await stage.settle();
      await stage.runAll();
    },
  },
  {
    name: "a Deployment is scaled to zero and up again during a rollout",
    async play(stage) {
      await stage.create(Deployment, { metadata: { name: "web" }, spec: { ...spec, replicas: 4 } });
      await stage.untilPods(4);
      await rollOut(stage, 1);
      await stage.settle();
      await stage.change(Deployment, "web", image("2"));
      await stage.settle();
      await stage.change(Deployment, "web", { spec: { replicas: 0 } });
      await stage.settle();
      await stage.change(Deployment, "web", { spec: { replicas: 3 } });
      await rollOut(stage, 1);
    },
  },
  {
    name: "a Deployment whose pods are not admitted has a condition",
    async play(stage) {
      await stage.limitPods(1);
      await stage.create(Deployment, { metadata: { name: "web" }, spec: { ...spec, replicas: 2 } });
      await stage.until("it says so", async () => {
        const conditions = (await stage.get(Deployment, "web"))?.status?.conditions ?? [];
        return conditions.some(({ type }) => type === "ReplicaFailure");
      });
      await systemClock.sleep(3000);
    },
    retriesForever: true,
  },
  {
    name: "a Deployment handles a name collision of its ReplicaSet",
    async play(stage) {
      await stage.create(ReplicaSet, {
        metadata: { name: "web-79c7c4cfcf" },
        spec: {
          replicas: 0,
          selector: { matchLabels: { app: "other" } },
          template: { metadata: { labels: { app: "other" } }, spec: pod },
        },
      });
      await stage.create(Deployment, { metadata: { name: "web" }, spec: { ...spec, replicas: 1 } });
      await stage.untilPods(1);
    },
  },
];
