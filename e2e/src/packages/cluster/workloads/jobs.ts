import { Job } from "@homeostat/kubernetes/batch/v1";
import { Pod } from "@homeostat/kubernetes/core/v1";
import type { Scenario } from "./scenario.ts";
import { ended, type World } from "./world.ts";

const podSpec = {
  restartPolicy: "Never",
  automountServiceAccountToken: false,
  containers: [{ name: "work", image: "example.com/work:1" }],
};
const template = { spec: podSpec };
/** With a node, pods take their time to go. */
const placed = { spec: { ...podSpec, nodeName: "somewhere" } };

const pending = async (world: World): ReturnType<World["pods"]> => {
  const pods = await world.pods();
  return pods.filter(({ status, metadata }) => status?.phase === "Pending" && metadata.deletionTimestamp === undefined);
};

/** Scenarios of Jobs. */
export const jobScenarios: readonly Scenario[] = [
  {
    name: "a Job completes",
    async play(world) {
      await world.create(Job, { metadata: { name: "work" }, spec: { template } });
      const pods = await world.untilPods(1);
      await world.run(pods);
      await world.settle();
      await world.exit(pods, 0);
    },
  },
  {
    name: "a Job with two at once makes another pod for each that ends",
    async play(world) {
      await world.create(Job, { metadata: { name: "work" }, spec: { template, parallelism: 2, completions: 3 } });
      await world.exit(await world.untilPods(2), 0);
      await world.settle();
      await world.exit(await pending(world), 0);
    },
  },
  {
    name: "a Job without completions is done when one pod is, and the others have ended",
    async play(world) {
      await world.create(Job, { metadata: { name: "work" }, spec: { template, parallelism: 3 } });
      const [first, ...rest] = await world.untilPods(3);
      if (first !== undefined) await world.exit([first], 0);
      await world.settle();
      await world.exit(rest, 0);
    },
  },
  {
    name: "a Job fails when its backoff limit is reached",
    async play(world) {
      await world.create(Job, { metadata: { name: "work" }, spec: { template, backoffLimit: 0 } });
      await world.exit(await world.untilPods(1), 3);
    },
  },
  {
    name: "a Job that fails deletes the pods that are still at work",
    async play(world) {
      const spec = { template: placed, backoffLimit: 0, parallelism: 3, completions: 3 };
      await world.create(Job, { metadata: { name: "work" }, spec });
      const [first, ...rest] = await world.untilPods(3);
      await world.run(rest);
      await world.settle();
      if (first !== undefined) await world.exit([first], 1);
      await world.until("it is decided", async () => {
        return ((await world.get(Job, "work"))?.status?.conditions?.length ?? 0) > 0;
      });
      await world.settle();
      await world.reap();
    },
  },
  {
    name: "a Job tries again after a pause",
    async play(world) {
      await world.create(Job, { metadata: { name: "work" }, spec: { template, backoffLimit: 3 } });
      const pods = await world.untilPods(1);
      await world.exit(pods, 1);
      await world.until("there is another", async () => (await pending(world)).length === 1);
    },
  },
  {
    name: "an indexed Job makes a pod for each index",
    async play(world) {
      const spec = { template, completionMode: "Indexed", completions: 4, parallelism: 3 };
      await world.create(Job, { metadata: { name: "work" }, spec });
      const pods = await world.untilPods(3);
      await world.exit(pods.slice(0, 2), 0);
      await world.settle();
      await world.exit(await pending(world), 0);
    },
  },
  {
    name: "an indexed Job counts failures by index",
    async play(world) {
      const spec = { template, completionMode: "Indexed", completions: 3, parallelism: 3, backoffLimitPerIndex: 0 };
      await world.create(Job, { metadata: { name: "work" }, spec });
      const [first, ...rest] = await world.untilPods(3);
      if (first !== undefined) await world.exit([first], 1);
      await world.settle();
      await world.exit(rest, 0);
    },
  },
  {
    name: "an indexed Job tries an index again, and passes its count on",
    async play(world) {
      const spec = { template, completionMode: "Indexed", completions: 2, parallelism: 2, backoffLimitPerIndex: 1 };
      await world.create(Job, { metadata: { name: "work" }, spec });
      const [first] = await world.untilPods(2);
      if (first !== undefined) await world.exit([first], 1);
      await world.until("there is another", async () => (await pending(world)).length === 2);
    },
  },
  {
    name: "an indexed Job has succeeded when its policy says so",
    async play(world) {
      const successPolicy = { rules: [{ succeededIndexes: "0-1", succeededCount: 1 }] };
      const spec = { template, completionMode: "Indexed", completions: 3, parallelism: 3, successPolicy };
      await world.create(Job, { metadata: { name: "work" }, spec });
      const pods = await world.untilPods(3);
      await world.exit(pods.slice(1, 2), 0);
    },
  },
  {
    name: "a Job fails at once when its policy says so",
    async play(world) {
      const podFailurePolicy = {
        rules: [
          { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] },
          { action: "FailJob", onExitCodes: { containerName: "work", operator: "In", values: [42] } },
        ],
      };
      await world.create(Job, { metadata: { name: "work" }, spec: { template, podFailurePolicy, parallelism: 2 } });
      const pods = await world.untilPods(2);
      await world.exit(pods.slice(0, 1), 42);
    },
  },
  {
    name: "a Job is suspended and goes on",
    async play(world) {
      await world.create(Job, { metadata: { name: "work" }, spec: { template, suspend: true, parallelism: 2 } });
      await world.settle();
      await world.change(Job, "work", { spec: { suspend: false } });
      await world.untilPods(2);
      await world.settle();
      await world.change(Job, "work", { spec: { suspend: true } });
      await world.untilPods(0);
      await world.settle();
      await world.change(Job, "work", { spec: { suspend: false } });
      await world.untilPods(2);
    },
  },
  {
    name: "a Job takes too long",
    async play(world) {
      await world.create(Job, { metadata: { name: "work" }, spec: { template, activeDeadlineSeconds: 2 } });
      await world.until("it is over", async () => {
        return ((await world.get(Job, "work"))?.status?.conditions?.length ?? 0) > 1;
      });
    },
  },
  {
    name: "a Job replaces pods that are on their way out, or waits until they have failed",
    async play(world) {
      await world.create(Job, { metadata: { name: "work" }, spec: { template: placed } });
      await world.create(Job, {
        metadata: { name: "wait" },
        spec: { template: placed, podReplacementPolicy: "Failed" },
      });
      const pods = await world.untilPods(2);
      for (const { metadata } of pods) await world.delete(Pod, metadata.name);
      await world.settle();
    },
  },
  {
    name: "a Job fails when containers have been restarted too often",
    async play(world) {
      const spec = { template: { spec: { ...podSpec, restartPolicy: "OnFailure" } }, backoffLimit: 2 };
      await world.create(Job, { metadata: { name: "work" }, spec });
      const [pod] = await world.untilPods(1);
      if (pod === undefined) return;
      const state = { waiting: { reason: "CrashLoopBackOff" } };
      const status = { name: "work", image: "x", imageID: "", ready: false, restartCount: 2, state };
      await world.setPod(pod, { phase: "Running", containerStatuses: [status] });
    },
  },
  {
    name: "a Job is given other numbers while it runs",
    async play(world) {
      await world.create(Job, { metadata: { name: "work" }, spec: { template, parallelism: 1, completions: 5 } });
      await world.untilPods(1);
      await world.change(Job, "work", { spec: { parallelism: 4 } });
      const pods = await world.untilPods(4);
      await world.run(pods.slice(0, 1));
      await world.settle();
      await world.change(Job, "work", { spec: { parallelism: 2 } });
      await world.untilPods(2);
    },
  },
  {
    name: "a Job goes some time after it is over, and its pods with it",
    async play(world) {
      const spec = { template, ttlSecondsAfterFinished: 2 };
      await world.create(Job, { metadata: { name: "work" }, spec });
      await world.exit(await world.untilPods(1), 0);
      await world.until("it is gone", async () => (await world.get(Job, "work")) === undefined);
      await world.untilPods(0);
    },
  },
  {
    name: "a Job is deleted while it runs, and its pods go with it",
    async play(world) {
      await world.create(Job, { metadata: { name: "work" }, spec: { template, parallelism: 2 } });
      await world.create(Job, { metadata: { name: "first" }, spec: { template } });
      await world.untilPods(3);
      await world.delete(Job, "work", { propagation: "Background" });
      await world.delete(Job, "first", { propagation: "Foreground" });
      await world.until("the pods are gone", async () => (await world.pods()).length === 0);
    },
  },
  {
    name: "a Job is deleted and leaves its pods behind",
    async play(world) {
      await world.create(Job, { metadata: { name: "work" }, spec: { template, parallelism: 2 } });
      await world.untilPods(2);
      await world.settle();
      await world.delete(Job, "work", { propagation: "Orphan" });
      await world.until("it is gone", async () => (await world.get(Job, "work")) === undefined);
    },
  },
  {
    name: "an indexed Job is made smaller and larger",
    async play(world) {
      const spec = { template, completionMode: "Indexed", completions: 4, parallelism: 4 };
      await world.create(Job, { metadata: { name: "work" }, spec });
      const pods = await world.untilPods(4);
      await world.exit(pods.slice(2, 4), 0);
      await world.settle();
      await world.change(Job, "work", { spec: { completions: 3, parallelism: 3 } });
      await world.settle();
      await world.change(Job, "work", { spec: { completions: 5, parallelism: 5 } });
    },
  },
  {
    name: "a Job does not count what its policy ignores, and fails an index at once",
    async play(world) {
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
      await world.create(Job, { metadata: { name: "work" }, spec });
      const [first, second] = await world.untilPods(3);
      if (first === undefined || second === undefined) return;
      const disrupted = ended(first, 143);
      const condition = { type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI" };
      await world.setPod(first, { ...disrupted, conditions: [...(disrupted.conditions ?? []), condition] });
      await world.exit([second], 9);
      await world.until("there is another", async () => (await pending(world)).length === 2);
    },
  },
  {
    name: "a Job has more failures than it may, in all indexes together",
    async play(world) {
      const spec = {
        template,
        completionMode: "Indexed",
        completions: 4,
        parallelism: 4,
        backoffLimitPerIndex: 0,
        maxFailedIndexes: 1,
      };
      await world.create(Job, { metadata: { name: "work" }, spec });
      const pods = await world.untilPods(4);
      await world.exit(pods.slice(0, 2), 1);
    },
  },
  {
    name: "a Job with sidecars is done when its own containers are",
    async play(world) {
      const sidecar = { name: "proxy", image: "example.com/proxy:1", restartPolicy: "Always" };
      const spec = {
        template: { spec: { ...podSpec, initContainers: [sidecar] } },
        completionMode: "Indexed",
        completions: 1,
      };
      await world.create(Job, { metadata: { name: "work" }, spec });
      const pods = await world.untilPods(1);
      await world.run(pods);
      await world.settle();
      await world.exit(pods, 0);
    },
  },
  {
    name: "a Job adopts a pod that fits its selector, and counts it",
    async play(world) {
      const labels = { run: "me" };
      await world.create(Pod, { metadata: { generateName: "stray-", labels }, spec: podSpec });
      await world.settle();
      await world.create(Job, {
        metadata: { name: "work" },
        spec: {
          manualSelector: true,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: podSpec },
          completions: 2,
        },
      });
      await world.settle();
      await world.exit(await pending(world), 0);
    },
  },
  {
    name: "a Job whose pod is deleted by somebody makes another after a pause",
    async play(world) {
      await world.create(Job, { metadata: { name: "work" }, spec: { template } });
      const [pod] = await world.untilPods(1);
      await world.delete(Pod, pod?.metadata.name ?? "");
      await world.until("there is another", async () => {
        return (await pending(world)).some(({ metadata }) => metadata.uid !== pod?.metadata.uid);
      });
    },
  },
];
