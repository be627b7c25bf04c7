// Scenarios of a LocustTest in which the operator crashes.

import assert from "node:assert/strict";
import { parseTime } from "@homeostat/core";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { ResourceQuota } from "@homeostat/kubernetes/core/v1";
import { type CrashPoint, CrashRun, type CrashScenario, type RunningOperator } from "@homeostat/operator-testing";
import type { Bench } from "./bench.ts";
import { LocustTest } from "../api/locust-test.ts";
import { annotations } from "../api/names.ts";
import { unreadTtlSecondsMin } from "../build/jobs.ts";

/** The outcome of a scenario. */
export interface LocustOutcome {
  /** Reason of `TestCompleted`; empty if the test is not complete or deleted. */
  readonly reason: string;
  /** The status of the test without times and uids. */
  readonly picture: unknown;
  /** The names of its objects. */
  readonly objects: readonly string[];
  /** The names of all Jobs that were ever created. */
  readonly jobsMade: readonly string[];
}

/** One LocustTest `a` in a namespace of its own. No Job controller runs: the steps do its work. */
export class LocustRun extends CrashRun<LocustOutcome> {
  readonly bench: Bench;
  readonly namespace: string;
  readonly #jobsMade: string[] = [];

  constructor(bench: Bench, namespace: string) {
    super(bench);
    this.bench = bench;
    this.namespace = namespace;
  }

  protected override async startOperator(crash: CrashPoint | undefined): Promise<RunningOperator> {
    return this.bench.run(this.namespace, { env: this.env, crash, jobsMade: this.#jobsMade });
  }

  protected get env(): Readonly<Record<string, string>> {
    return {};
  }

  override async outcome(): Promise<LocustOutcome> {
    const { bench, namespace } = this;
    const test = await bench.client.get(LocustTest, { namespace, name: "a" });
    return {
      reason: test?.status?.conditions?.find(({ type }) => type === "TestCompleted")?.reason ?? "",
      picture: test === undefined ? "deleted" : pictureOf(test),
      objects: await bench.objects(namespace),
      jobsMade: this.#jobsMade.toSorted(),
    };
  }

  async status(what: string, is: (test: LocustTest) => boolean): Promise<void> {
    await this.until(what, async () => {
      const test = await this.bench.client.get(LocustTest, { namespace: this.namespace, name: "a" });
      return test !== undefined && is(test);
    });
  }

  async phase(phase: string, run = 1): Promise<void> {
    await this.status(`phase ${phase}`, ({ status }) => status?.phase === phase && status.run === run);
  }

  /** Waits until the API server has refused a Job. */
  async refused(): Promise<void> {
    await this.status("refused Jobs", ({ status }) => status?.conditions?.[0]?.reason === "ResourcesFailed");
  }

  /** Does the work of the Job controller when Jobs start: reports their pods as active. */
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

  /** Does the work of the Job controller when Jobs complete. */
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

  async delete(): Promise<void> {
    const { bench, namespace } = this;
    await bench.client.delete(LocustTest, { namespace, name: "a" });
    await this.until(
      "the deletion",
      async () => (await bench.client.get(LocustTest, { namespace, name: "a" })) === undefined,
    );
  }

  /** Sets a quota that refuses every Job. */
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
}

/** The removal of finished Jobs, and the downtime of the operator. */
interface Absence {
  readonly ttlSeconds: number;
  readonly downSeconds: number;
}

/** A run whose Jobs complete at once and are removed by their TTL. */
class AwayRun extends LocustRun {
  readonly #absence: Absence;

  constructor(bench: Bench, namespace: string, absence: Absence) {
    super(bench, namespace);
    this.#absence = absence;
  }

  protected override get env(): Readonly<Record<string, string>> {
    return { JOB_TTL_SECONDS_AFTER_FINISHED: String(this.#absence.ttlSeconds) };
  }

  protected override async tick(): Promise<void> {
    const { bench, namespace } = this;
    const { items } = await bench.client.list(Job, { namespace });
    for (const { metadata, status } of items) {
      if (status?.conditions === undefined) await bench.endJob(namespace, metadata.name ?? "", "Complete");
    }
    await this.#removeExpired();
  }

  protected override async whileDown(): Promise<void> {
    await this.tick();
    await this.bench.pass(this.#absence.downSeconds * 1_000, 5);
    await this.#removeExpired();
  }

  /** Does the work of the TTL controller. */
  async #removeExpired(): Promise<void> {
    const { bench, namespace } = this;
    const { items } = await bench.client.list(Job, { namespace });
    for (const { metadata, spec, status } of items) {
      const { ttlSecondsAfterFinished: ttl } = spec;
      if (ttl === undefined || status?.completionTime === undefined) continue;
      if (bench.clock.now() < parseTime(status.completionTime) + ttl * 1_000) continue;
      await bench.client.delete(Job, { namespace, name: metadata.name ?? "" }, { propagation: "Background" });
    }
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

type Scenario = CrashScenario<Bench, LocustRun, LocustOutcome>;

/** A scenario whose outcome does not depend on the crash. */
function scenario(
  play: (run: LocustRun) => Promise<void>,
  { isBlocked = false }: { readonly isBlocked?: boolean } = {},
): Scenario {
  return {
    open: async (bench) => {
      const run = new LocustRun(bench, await bench.namespace());
      if (isBlocked) await run.block();
      await bench.create(run.namespace, "a");
      return run;
    },
    play,
  };
}

/** A scenario in which the operator is down for so long that the result may be lost. The load never runs twice. */
function awayScenario({ isBlocked = false }: { readonly isBlocked?: boolean } = {}): Scenario {
  return {
    ...absenceScenario({ ttlSeconds: 60, downSeconds: unreadTtlSecondsMin + 10 }, { isBlocked }),
    check: ({ reason, jobsMade }, { crash, where }) => {
      assert.match(reason, crash === undefined ? /^TestSucceeded$/ : /^(?:TestSucceeded|ResultUnavailable)$/, where);
      assert.ok(jobsMade.filter((name) => name === "a-master").length <= 1, where);
    },
  };
}

/** A scenario in which the operator is down for longer than finished Jobs are to be kept. No result is lost. */
function shortTtlScenario(): Scenario {
  return {
    ...absenceScenario({ ttlSeconds: 0, downSeconds: 600 }, { isBlocked: false }),
    check: ({ reason, jobsMade, objects }, { where }) => {
      assert.equal(reason, "TestSucceeded", where);
      assert.deepEqual(jobsMade, ["a-master", "a-worker"], where);
      assert.deepEqual(objects, ["Service a-master"], where);
    },
  };
}

function absenceScenario(
  absence: Absence,
  { isBlocked }: { readonly isBlocked: boolean },
): Pick<Scenario, "open" | "play"> {
  return {
    open: async (bench) => {
      const run = new AwayRun(bench, await bench.namespace(), absence);
      if (isBlocked) await run.block();
      await bench.create(run.namespace, "a");
      return run;
    },
    play: async (run) => {
      if (isBlocked) {
        await run.refused();
        await run.unblock();
      }
      await run.status("the end", ({ status }) => status?.phase === "Succeeded" || status?.phase === "Failed");
    },
  };
}

/** All scenarios. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  "a long absence after refused Jobs": awayScenario({ isBlocked: true }),
  "a long absence": awayScenario(),
  "a TTL of 0": shortTtlScenario(),
  "a normal run": scenario(async (run) => {
    await run.jobsBegin();
    await run.jobsEnd();
    await run.phase("Succeeded");
  }),
  "an edit while Pending": scenario(
    async (run) => {
      await run.refused();
      await run.edit(3);
      await run.unblock();
      await run.jobsBegin();
      await run.jobsEnd();
      await run.phase("Succeeded");
    },
    { isBlocked: true },
  ),
  "an edit while Running": scenario(async (run) => {
    await run.jobsBegin();
    await run.edit(3);
    await run.status("the edited generation", ({ status }) => status?.observedGeneration === 2);
    await run.jobsEnd();
    await run.phase("Succeeded");
  }),
  "a second run": scenario(async (run) => {
    await run.jobsBegin();
    await run.jobsEnd();
    await run.phase("Succeeded");
    await run.edit(2);
    await run.annotate(annotations.rerun, "again");
    await run.jobsBegin("2");
    await run.jobsEnd();
    await run.phase("Succeeded", 2);
  }),
  "a stop": scenario(async (run) => {
    await run.jobsBegin();
    await run.annotate(annotations.stop, "enough");
    await run.phase("Failed");
  }),
  "a deletion": scenario(async (run) => {
    await run.jobsBegin();
    await run.delete();
  }),
};
