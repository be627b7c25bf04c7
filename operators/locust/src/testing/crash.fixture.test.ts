// Plays a story of a test with an operator that dies at a chosen request, and another that takes over.

import { Job } from "@homeostat/kubernetes/batch/v1";
import { ResourceQuota } from "@homeostat/kubernetes/core/v1";
import type { CrashPoint, Running } from "@homeostat/trial";
import type { Bench } from "./bench.fixture.test.ts";
import { LocustTest } from "../api/locust-test.ts";
import { annotations } from "../api/names.ts";

/** How a story ended: what can be seen, and what was done to get there. */
export interface Ending {
  /** What the test and its objects say, without times and uids. */
  readonly picture: unknown;
  /** The names of all Jobs that were ever made. */
  readonly jobsMade: readonly string[];
  /** How many requests the first process has sent. */
  readonly requests: number;
  /** Which of them were to change an object, counted from 1. */
  readonly changes: readonly number[];
  /** What was written after everything was as it should be. */
  readonly lateWrites: readonly string[];
}

/** One story in one namespace, and whoever runs the operator at the moment. */
export class Story {
  readonly bench: Bench;
  readonly namespace: string;
  readonly jobsMade: string[] = [];
  readonly #env: Readonly<Record<string, string>>;
  #running: Running | undefined;
  #first: Running | undefined;
  /** What happens between the death of one process and the beginning of the next. */
  #meanwhile: () => Promise<void> = async () => undefined;

  constructor(bench: Bench, namespace: string, env: Readonly<Record<string, string>>) {
    this.bench = bench;
    this.namespace = namespace;
    this.#env = env;
  }

  async begin(crash: CrashPoint | undefined, meanwhile: () => Promise<void> = async () => undefined): Promise<void> {
    this.#meanwhile = meanwhile;
    this.#running = await this.bench.run(this.namespace, { env: this.#env, crash, jobsMade: this.jobsMade });
    this.#first = this.#running;
  }

  /** Waits until something is so; a process that dies meanwhile is followed by another. */
  async until(what: string, look: () => Promise<boolean>): Promise<void> {
    await this.bench.until(what, async () => {
      await this.#revive();
      return look();
    });
  }

  async status(what: string, is: (test: LocustTest) => boolean, meanwhile?: () => Promise<void>): Promise<void> {
    await this.until(what, async () => {
      await meanwhile?.();
      const test = await this.bench.client.get(LocustTest, { namespace: this.namespace, name: "a" });
      return test !== undefined && is(test);
    });
  }

  async phase(phase: string, run = 1): Promise<void> {
    await this.status(`phase ${phase}`, ({ status }) => status?.phase === phase && status.run === run);
  }

  /** Does what a Job controller does when Jobs begin: says that their pods are active. */
  async jobsBegin(run = "1"): Promise<void> {
    const { bench, namespace } = this;
    for (const [name, active] of [
      ["a-master", 1],
      ["a-worker", 2],
    ] as const) {
      await this.until(`the Job ${name} of run ${run}`, async () => {
        const job = await bench.client.get(Job, { namespace, name });
        return job?.metadata.annotations?.[annotations.run] === run;
      });
      await bench.setJob(namespace, name, { active });
    }
    await this.status("the workers", ({ status }) => status?.connectedWorkers === 2 && status.phase === "Running");
  }

  /** Does what a Job controller does when Jobs are over. */
  async jobsEnd(): Promise<void> {
    for (const name of ["a-worker", "a-master"]) await this.bench.endJob(this.namespace, name, "Complete");
  }

  async annotate(annotation: string, value: string): Promise<void> {
    const merge = { metadata: { annotations: { [annotation]: value } } };
    await this.bench.client.patch(LocustTest, { namespace: this.namespace, name: "a" }, { merge });
  }

  async edit(replicas: number): Promise<void> {
    const merge = { spec: { worker: { replicas } } };
    await this.bench.client.patch(LocustTest, { namespace: this.namespace, name: "a" }, { merge });
  }

  /** Lets no Job be made. */
  async block(): Promise<void> {
    const { client } = this.bench;
    const hard = { "count/jobs.batch": "0" };
    const metadata = { namespace: this.namespace, name: "q" };
    await client.create(ResourceQuota, { apiVersion: "v1", kind: "ResourceQuota", metadata, spec: { hard } });
    await client.patch(ResourceQuota, metadata, { merge: { status: { hard, used: hard } } }, { subresource: "status" });
  }

  async unblock(): Promise<void> {
    await this.bench.client.delete(ResourceQuota, { namespace: this.namespace, name: "q" });
  }

  async end(): Promise<Ending> {
    const { bench, namespace } = this;
    // Whoever was to die later, if ever, does so now or never.
    await bench.pass(3_000);
    await this.#revive();
    await bench.pass(3_000);
    const before = this.#running?.writes().length ?? 0;
    await bench.pass(150_000, 10);
    const lateWrites = this.#running?.writes().slice(before) ?? [];
    await this.#running?.stop();
    const test = await bench.client.get(LocustTest, { namespace, name: "a" });
    return {
      picture: { test: test === undefined ? "gone" : pictureOf(test), objects: await bench.objects(namespace) },
      jobsMade: this.jobsMade.toSorted(),
      requests: this.#first?.sent.length ?? 0,
      changes: (this.#first?.sent ?? []).flatMap(({ method, path }, index) =>
        method === "GET" || path.includes("/events") ? [] : [index + 1],
      ),
      lateWrites,
    };
  }

  async #revive(): Promise<void> {
    if (this.#running?.isDead !== true) return;
    await this.#running.stop();
    await this.#meanwhile();
    this.#running = await this.bench.run(this.namespace, { env: this.#env, jobsMade: this.jobsMade });
  }
}

function pictureOf({ metadata, status = {} }: LocustTest): unknown {
  const {
    conditions = [],
    masterJobUID,
    workerJobUID,
    startTime,
    completionTime,
    stop,
    history = [],
    ...rest
  } = status;
  return {
    ...rest,
    finalizers: metadata.finalizers,
    has: [masterJobUID, workerJobUID, startTime, completionTime].map((field) => field !== undefined),
    stop: stop === undefined ? undefined : { ...stop, requestedAt: "" },
    history: history.map((run) => ({ ...run, startTime: "", completionTime: "" })),
    conditions: conditions
      .map(({ type, status: is, reason, message }) => `${type} ${is} ${reason}: ${message}`)
      .toSorted(),
  };
}

/** What can happen to a test. */
export const stories: Readonly<Record<string, (story: Story) => Promise<void>>> = {
  "a normal run": async (story) => {
    await story.jobsBegin();
    await story.jobsEnd();
    await story.phase("Succeeded");
  },
  "an edit while Pending": async (story) => {
    await story.status("it waits", ({ status }) => status?.conditions?.[0]?.reason === "ResourcesFailed");
    await story.edit(3);
    await story.unblock();
    await story.jobsBegin();
    await story.jobsEnd();
    await story.phase("Succeeded");
  },
  "an edit while Running": async (story) => {
    await story.jobsBegin();
    await story.edit(3);
    await story.status("the edit was seen", ({ status }) => status?.observedGeneration === 2);
    await story.jobsEnd();
    await story.phase("Succeeded");
  },
  "a second run": async (story) => {
    await story.jobsBegin();
    await story.jobsEnd();
    await story.phase("Succeeded");
    await story.edit(2);
    await story.annotate(annotations.rerun, "again");
    await story.jobsBegin("2");
    await story.jobsEnd();
    await story.phase("Succeeded", 2);
  },
  "a stop": async (story) => {
    await story.jobsBegin();
    await story.annotate(annotations.stop, "enough");
    await story.phase("Failed");
  },
  "a deletion": async (story) => {
    await story.jobsBegin();
    const { bench, namespace } = story;
    await bench.client.delete(LocustTest, { namespace, name: "a" });
    await story.until(
      "it is gone",
      async () => (await bench.client.get(LocustTest, { namespace, name: "a" })) === undefined,
    );
  },
};

/** Plays a story to its end. */
export async function play(
  bench: Bench,
  name: string,
  crash: CrashPoint | undefined,
  env: Readonly<Record<string, string>> = {},
): Promise<Ending> {
  const story = new Story(bench, await bench.namespace(), env);
  if (name === "an edit while Pending") await story.block();
  await bench.create(story.namespace, "a");
  await story.begin(crash);
  await stories[name]?.(story);
  return story.end();
}

/** How long Jobs are kept in {@link playAway}. */
const ttlSeconds = 60;

/**
 * Plays a normal run with Jobs that end at once, and an operator that is away, from the moment it dies, for longer than ended
 * Jobs are kept. With `isRefusedFirst`, the API server does not take the Jobs for a while.
 */
export async function playAway(
  bench: Bench,
  crash: CrashPoint | undefined,
  { isRefusedFirst = false }: { readonly isRefusedFirst?: boolean } = {},
): Promise<Ending & { readonly reason: string }> {
  const env = { JOB_TTL_SECONDS_AFTER_FINISHED: String(ttlSeconds) };
  const story = new Story(bench, await bench.namespace(), env);
  const { namespace } = story;
  const endJobs = async (): Promise<void> => {
    const { items } = await bench.client.list(Job, { namespace });
    for (const { metadata, status } of items) {
      if (status?.conditions === undefined) await bench.endJob(namespace, metadata.name ?? "", "Complete");
    }
  };
  if (isRefusedFirst) await story.block();
  await bench.create(namespace, "a");
  await story.begin(crash, async () => {
    await endJobs();
    await bench.pass((ttlSeconds + 10) * 1_000, 5);
    for (const name of ["a-master", "a-worker"]) {
      await bench.client.delete(Job, { namespace, name }, { propagation: "Background" });
    }
  });
  if (isRefusedFirst) {
    await story.status("it waits", ({ status }) => status?.conditions?.[0]?.reason === "ResourcesFailed");
    await story.unblock();
  }
  let reason = "";
  await story.status(
    "its end",
    ({ status }) => {
      reason = status?.conditions?.find(({ type }) => type === "TestCompleted")?.reason ?? "";
      return status?.phase === "Succeeded" || status?.phase === "Failed";
    },
    endJobs,
  );
  return { ...(await story.end()), reason };
}
