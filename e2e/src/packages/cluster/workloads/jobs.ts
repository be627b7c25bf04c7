import { Job } from "@homeostat/kubernetes/batch/v1";
import { Pod } from "@homeostat/kubernetes/core/v1";
import type { Scenario } from "./scenario.ts";
import { ended, type Stage } from "./stage.ts";

const podSpec = {
  restartPolicy: "Never",
  automountServiceAccountToken: false,
  containers: [{ name: "work", image: "example.com/work:1" }],
};
const template = { spec: podSpec };
/** With a node, pods terminate with a grace period. */
const placed = { spec: { ...podSpec, nodeName: "somewhere" } };

const pending = async (stage: Stage): ReturnType<Stage["pods"]> => {
  const pods = await stage.pods();
  return pods.filter(({ status, metadata }) => status?.phase === "Pending" && metadata.deletionTimestamp === undefined);
};

/** Scenarios of Jobs. */
export const jobScenarios: readonly Scenario[] = [
  {
    name: "a Job completes",
    async play(stage) {
      await stage.create(Job, { metadata: { name: "work" }, spec: { template } });
      const pods = await stage.untilPods(1);
      await stage.run(pods);
      await stage.settle();
      await stage.exit(pods, 0);
    },
  },
  {
    name: "a Job with parallelism 2 creates another pod for each that ends",
    async play(stage) {
      await stage.create(Job, { metadata: { name: "work" }, spec: { template, parallelism: 2, completions: 3 } });
      await stage.exit(await stage.untilPods(2), 0);
      await stage.settle();
      await stage.exit(await pending(stage), 0);
    },
  },
  {
    name: "a Job without completions is complete when one pod succeeded and the others ended",
    async play(stage) {
      await stage.create(Job, { metadata: { name: "work" }, spec: { template, parallelism: 3 } });
      const [first, ...rest] = await stage.untilPods(3);
      if (first !== undefined) await stage.exit([first], 0);
      await stage.settle();
      await stage.exit(rest, 0);
    },
  },
  {
    name: "a Job fails when its backoff limit is reached",
    async play(stage) {
      await stage.create(Job, { metadata: { name: "work" }, spec: { template, backoffLimit: 0 } });
      await stage.exit(await stage.untilPods(1), 3);
    },
  },
  {
    name: "a failed Job deletes its active pods",
    async play(stage) {
      const spec = { template: placed, backoffLimit: 0, parallelism: 3, completions: 3 };
      await stage.create(Job, { metadata: { name: "work" }, spec });
      const [first, ...rest] = await stage.untilPods(3);
      await stage.run(rest);
      await stage.settle();
      if (first !== undefined) await stage.exit([first], 1);
      await stage.until("it is decided", async () => {
        return ((await stage.get(Job, "work"))?.status?.conditions?.length ?? 0) > 0;
      });
      await stage.settle();
      await stage.reap();
    },
  },
  {
    name: "a Job retries after a back-off",
    async play(stage) {
      await stage.create(Job, { metadata: { name: "work" }, spec: { template, backoffLimit: 3 } });
      const pods = await stage.untilPods(1);
      await stage.exit(pods, 1);
      await stage.until("there is another", async () => (await pending(stage)).length === 1);
    },
  },
  {
    name: "an indexed Job creates a pod for each index",
    async play(stage) {
      const spec = { template, completionMode: "Indexed", completions: 4, parallelism: 3 };
      await stage.create(Job, { metadata: { name: "work" }, spec });
      const pods = await stage.untilPods(3);
      await stage.exit(pods.slice(0, 2), 0);
      await stage.settle();
      await stage.exit(await pending(stage), 0);
    },
  },
  {
    name: "an indexed Job counts failures per index",
    async play(stage) {
      const spec = { template, completionMode: "Indexed", completions: 3, parallelism: 3, backoffLimitPerIndex: 0 };
      await stage.create(Job, { metadata: { name: "work" }, spec });
      const [first, ...rest] = await stage.untilPods(3);
      if (first !== undefined) await stage.exit([first], 1);
      await stage.settle();
      await stage.exit(rest, 0);
    },
  },
  {
    name: "an indexed Job retries an index and passes on its failure count",
    async play(stage) {
      const spec = { template, completionMode: "Indexed", completions: 2, parallelism: 2, backoffLimitPerIndex: 1 };
      await stage.create(Job, { metadata: { name: "work" }, spec });
      const [first] = await stage.untilPods(2);
      if (first !== undefined) await stage.exit([first], 1);
      await stage.until("there is another", async () => (await pending(stage)).length === 2);
    },
  },
  {
    name: "an indexed Job succeeds by its success policy",
    async play(stage) {
      const successPolicy = { rules: [{ succeededIndexes: "0-1", succeededCount: 1 }] };
      const spec = { template, completionMode: "Indexed", completions: 3, parallelism: 3, successPolicy };
      await stage.create(Job, { metadata: { name: "work" }, spec });
      const pods = await stage.untilPods(3);
      await stage.exit(pods.slice(1, 2), 0);
    },
  },
  {
    name: "a Job fails immediately by its pod failure policy",
    async play(stage) {
      const podFailurePolicy = {
        rules: [
          { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] },
          { action: "FailJob", onExitCodes: { containerName: "work", operator: "In", values: [42] } },
        ],
      };
      await stage.create(Job, { metadata: { name: "work" }, spec: { template, podFailurePolicy, parallelism: 2 } });
      const pods = await stage.untilPods(2);
      await stage.exit(pods.slice(0, 1), 42);
    },
  },
  {
    name: "a Job is suspended and resumed",
    async play(stage) {
      await stage.create(Job, { metadata: { name: "work" }, spec: { template, suspend: true, parallelism: 2 } });
      await stage.settle();
      await stage.change(Job, "work", { spec: { suspend: false } });
      await stage.untilPods(2);
      await stage.settle();
      await stage.change(Job, "work", { spec: { suspend: true } });
      await stage.untilPods(0);
      await stage.settle();
      await stage.change(Job, "work", { spec: { suspend: false } });
      await stage.untilPods(2);
    },
  },
  {
    name: "a Job exceeds its active deadline",
    async play(stage) {
      await stage.create(Job, { metadata: { name: "work" }, spec: { template, activeDeadlineSeconds: 2 } });
      await stage.until("it is over", async () => {
        return ((await stage.get(Job, "work"))?.status?.conditions?.length ?? 0) > 1;
      });
    },
  },
  {
    name: "a Job replaces terminating pods, or waits until they have failed",
    async play(stage) {
      await stage.create(Job, { metadata: { name: "work" }, spec: { template: placed } });
      await stage.create(Job, {
        metadata: { name: "wait" },
        spec: { template: placed, podReplacementPolicy: "Failed" },
      });
      const pods = await stage.untilPods(2);
      for (const { metadata } of pods) await stage.delete(Pod, metadata.name);
      // The replacement follows a back-off of 10 s, which is longer than a namespace has to be idle to be settled.
      await stage.untilPods(1);
    },
  },
  {
    name: "a Job fails when containers restarted too often",
    async play(stage) {
      const spec = { template: { spec: { ...podSpec, restartPolicy: "OnFailure" } }, backoffLimit: 2 };
      await stage.create(Job, { metadata: { name: "work" }, spec });
      const [pod] = await stage.untilPods(1);
      if (pod === undefined) return;
      const state = { waiting: { reason: "CrashLoopBackOff" } };
      const status = { name: "work", image: "x", imageID: "", ready: false, restartCount: 2, state };
      await stage.setPod(pod, { phase: "Running", containerStatuses: [status] });
    },
  },
  {
    name: "a Job gets another parallelism and completions while it runs",
    async play(stage) {
      await stage.create(Job, { metadata: { name: "work" }, spec: { template, parallelism: 1, completions: 5 } });
      await stage.untilPods(1);
      await stage.change(Job, "work", { spec: { parallelism: 4 } });
      const pods = await stage.untilPods(4);
      await stage.run(pods.slice(0, 1));
      await stage.settle();
      await stage.change(Job, "work", { spec: { parallelism: 2 } });
      await stage.untilPods(2);
    },
  },
  {
    name: "a Job is deleted with its pods after its TTL",
    async play(stage) {
      const spec = { template, ttlSecondsAfterFinished: 2 };
      await stage.create(Job, { metadata: { name: "work" }, spec });
      await stage.exit(await stage.untilPods(1), 0);
      await stage.until("it is gone", async () => (await stage.get(Job, "work")) === undefined);
      await stage.untilPods(0);
    },
  },
  {
    name: "a Job is deleted with its pods while it runs",
    async play(stage) {
      await stage.create(Job, { metadata: { name: "work" }, spec: { template, parallelism: 2 } });
      await stage.create(Job, { metadata: { name: "first" }, spec: { template } });
      await stage.untilPods(3);
      await stage.delete(Job, "work", { propagation: "Background" });
      await stage.delete(Job, "first", { propagation: "Foreground" });
      await stage.until("the pods are deleted", async () => (await stage.pods()).length === 0);
    },
  },
  {
    name: "a Job is deleted and its pods are orphaned",
    async play(stage) {
      await stage.create(Job, { metadata: { name: "work" }, spec: { template, parallelism: 2 } });
      await stage.untilPods(2);
      await stage.settle();
      await stage.delete(Job, "work", { propagation: "Orphan" });
      await stage.until("it is gone", async () => (await stage.get(Job, "work")) === undefined);
    },
  },
  {
    name: "an indexed Job is scaled down and up",
    async play(stage) {
      const spec = { template, completionMode: "Indexed", completions: 4, parallelism: 4 };
      await stage.create(Job, { metadata: { name: "work" }, spec });
      const pods = await stage.untilPods(4);
      await stage.exit(pods.slice(2, 4), 0);
      await stage.settle();
      await stage.change(Job, "work", { spec: { completions: 3, parallelism: 3 } });
      await stage.settle();
      await stage.change(Job, "work", { spec: { completions: 5, parallelism: 5 } });
    },
  },
  {
    name: "a Job ignores failures by its pod failure policy, and fails an index immediately",
    async play(stage) {
      const podFailurePolicy = {
        rules: [
          { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] },
          { action: "FailIndex", onExitCodes: { operator: "In", values: [9] } },
          { action: "Count", onExitCodes: { operator: "NotIn", values: [0] } },
        ],
      };
      const spec = {
        template,
        podFailurePolicy,
        completionMode: "Indexed",
        completions: 3,
        parallelism: 3,
        backoffLimitPerIndex: 2,
        maxFailedIndexes: 2,
      };
      await stage.create(Job, { metadata: { name: "work" }, spec });
      const [first, second] = await stage.untilPods(3);
      if (first === undefined || second === undefined) return;
      const disrupted = ended(first, 143);
      const condition = { type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI" };
      await stage.setPod(first, { ...disrupted, conditions: [...(disrupted.conditions ?? []), condition] });
      await stage.exit([second], 9);
      await stage.until("there is another", async () => (await pending(stage)).length === 2);
    },
  },
  {
    name: "a Job exceeds the limit of failed indexes",
    async play(stage) {
      const spec = {
        template,
        completionMode: "Indexed",
        completions: 4,
        parallelism: 4,
        backoffLimitPerIndex: 0,
        maxFailedIndexes: 1,
      };
      await stage.create(Job, { metadata: { name: "work" }, spec });
      const pods = await stage.untilPods(4);
      await stage.exit(pods.slice(0, 2), 1);
    },
  },
  {
    name: "a Job with sidecars is complete when its main containers are",
    async play(stage) {
      const sidecar = { name: "proxy", image: "example.com/proxy:1", restartPolicy: "Always" };
      const spec = {
        template: { spec: { ...podSpec, initContainers: [sidecar] } },
        completionMode: "Indexed",
        completions: 1,
      };
      await stage.create(Job, { metadata: { name: "work" }, spec });
      const pods = await stage.untilPods(1);
      await stage.run(pods);
      await stage.settle();
      await stage.exit(pods, 0);
    },
  },
  {
    name: "a Job adopts a pod that matches its selector, and counts it",
    async play(stage) {
      const labels = { run: "me" };
      await stage.create(Pod, { metadata: { generateName: "stray-", labels }, spec: podSpec });
      await stage.settle();
      await stage.create(Job, {
        metadata: { name: "work" },
        spec: {
          manualSelector: true,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: podSpec },
          completions: 2,
        },
      });
      await stage.settle();
      await stage.exit(await pending(stage), 0);
    },
  },
  {
    name: "a Job whose pod is deleted by a user creates another after a back-off",
    async play(stage) {
      await stage.create(Job, { metadata: { name: "work" }, spec: { template } });
      const [pod] = await stage.untilPods(1);
      await stage.delete(Pod, pod?.metadata.name ?? "");
      await stage.until("there is another", async () => {
        return (await pending(stage)).some(({ metadata }) => metadata.uid !== pod?.metadata.uid);
      });
    },
  },
];
