// Scenarios of a ChronikCluster in which the operator crashes. All controllers of the embedded cluster run, with simulated pods.

import { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { PersistentVolumeClaim, Secret } from "@homeostat/kubernetes/core/v1";
import { type CrashPoint, CrashRun, type CrashScenario, type RunningOperator } from "@homeostat/operator-testing";
import { annotations } from "../api/annotations.ts";
import { ChronikCluster } from "../api/chronik-cluster.ts";
import { type Bench, namespace } from "./bench.ts";
import type { SpecInput } from "./clusters.ts";
import { Invariants } from "./invariants.ts";

/** One cluster. The outcome is its status with the names and sizes of its objects. Each write of both operators must keep the invariants. */
export class ClusterRun extends CrashRun<unknown> {
  readonly bench: Bench;
  readonly name: string;
  readonly #invariants: Invariants;

  constructor(bench: Bench, name: string) {
    super(bench);
    this.bench = bench;
    this.name = name;
    this.#invariants = new Invariants(bench, name);
  }

  protected override async startOperator(crash: CrashPoint | undefined): Promise<RunningOperator> {
    return this.bench.run({ crash, onWrite: (sent) => this.#invariants.check(sent) });
  }

  /** Removes the cluster, because the operators of later runs would reconcile it as well. */
  override async cleanUp(): Promise<void> {
    const { bench, name } = this;
    const left = await bench.client.get(ChronikCluster, { namespace, name });
    if (left !== undefined) {
      await bench.client.patch(ChronikCluster, { namespace, name }, { merge: { metadata: { finalizers: null } } });
      await bench.client.delete(ChronikCluster, { namespace, name });
    }
    await bench.until(`${name} has no pods`, async () => {
      const pods = [...(await bench.pods(name, "controller")), ...(await bench.pods(name, "ingest"))];
      return pods.length === 0;
    });
    for (const { metadata } of await bench.claims(name))
      await bench.client.delete(PersistentVolumeClaim, { namespace, name: metadata.name ?? "" });
  }

  async running(): Promise<void> {
    await this.until(`${this.name} runs`, async () => {
      const { status, metadata } = await this.bench.get(this.name);
      return status.phase === "Running" && status.observedGeneration === metadata.generation;
    });
  }

  async change(spec: object): Promise<void> {
    await this.bench.change(this.name, spec);
  }

  override async outcome(): Promise<unknown> {
    const { bench, name } = this;
    this.#invariants.assertNone();
    const cluster = await bench.client.get(ChronikCluster, { namespace, name });
    const sets = await bench.client.list(StatefulSet, { namespace });
    const claims = await bench.claims(name);
    const { phase, summary, updatedReplicas, bootstrapped, conditions = [], quorum } = cluster?.status ?? {};
    const text = JSON.stringify({
      status: { phase, summary, updatedReplicas, bootstrapped, voters: quorum?.voters },
      conditions: conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`).toSorted(),
      objects: await bench.objects(name),
      sets: sets.items
        .filter(({ metadata }) => metadata.name?.startsWith(`${name}-`))
        .map(({ metadata, spec }) => [
          metadata.name,
          spec?.replicas,
          spec?.volumeClaimTemplates?.[0]?.spec?.resources?.requests?.["storage"],
          spec?.template.metadata?.annotations?.[annotations.secretHash],
        ]),
      claims: claims.map(({ metadata, spec }) => [
        metadata.name,
        spec?.resources?.requests?.["storage"],
        Object.keys(metadata.labels ?? {}).toSorted(),
        Object.keys(metadata.annotations ?? {})
          .filter((key) => key.startsWith("chronik.stream/"))
          .toSorted(),
      ]),
    });
    // Each run has a cluster of its own name.
    return JSON.parse(text.replaceAll(name, "NAME"));
  }
}

export type Scenario = CrashScenario<Bench, ClusterRun, unknown>;

let runs = 0;

function scenario(play: (run: ClusterRun) => Promise<void>, startsLike?: string, spec: SpecInput = {}): Scenario {
  return {
    open: async (bench) => {
      runs += 1;
      const run = new ClusterRun(bench, `c${String(runs).padStart(4, "0")}`);
      await bench.create(run.name, { controllers: 1, ingestNodes: 1, ...spec });
      return run;
    },
    play,
    startsLike,
  };
}

const afterCreation = (play: (run: ClusterRun) => Promise<void>): Scenario =>
  scenario(async (run) => {
    await run.running();
    await play(run);
  }, "a creation");

const password = (text: string): Record<string, string> => ({ password: Buffer.from(text).toString("base64") });

/** Scenarios with one member of each component, which are quick. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  "a creation": scenario((run) => run.running()),
  "an update without restarts": afterCreation(async (run) => {
    await run.change({ network: { serviceAnnotations: { "example.com/owner": "streams" } } });
    await run.running();
  }),
  "a rolling update": afterCreation(async (run) => {
    await run.change({ config: { common: { a: "b" } } });
    await run.running();
  }),
  "a change of the counts": afterCreation(async (run) => {
    await run.change({ controllers: 2, ingestNodes: 2 });
    await run.running();
    await run.change({ controllers: 1, ingestNodes: 1 });
    await run.running();
  }),
  "a growth of the volumes": afterCreation(async (run) => {
    await run.change({ storage: { size: "20Gi" } });
    await run.running();
    await run.until("larger claim templates", async () => {
      const { items } = await run.bench.client.list(StatefulSet, { namespace });
      return items
        .filter(({ metadata }) => metadata.name?.startsWith(`${run.name}-`))
        .every(({ spec }) => spec?.volumeClaimTemplates?.[0]?.spec?.resources?.requests?.["storage"] === "20Gi");
    });
    await run.running();
  }),
  "a rotation of a Secret": scenario(
    async (run) => {
      const { client } = run.bench;
      const data = { username: "dQ==", ...password("one") };
      if ((await client.get(Secret, { namespace, name: "pg" })) === undefined)
        await client.create(Secret, { apiVersion: "v1", kind: "Secret", metadata: { namespace, name: "pg" }, data });
      else await client.patch(Secret, { namespace, name: "pg" }, { merge: { data: password("one") } });
      await run.running();
      const uids = await run.bench.uids(run.name);
      await client.patch(Secret, { namespace, name: "pg" }, { merge: { data: password("two") } });
      await run.until("new pods", async () => {
        const now = await run.bench.uids(run.name);
        return now.size === 2 && [...uids].every(([name, uid]) => now.get(name) !== uid);
      });
      await run.running();
    },
    undefined,
    { metastore: { database: "postgres", connection: { host: "pg", credentialsSecret: "pg" } } },
  ),
  "a deletion": afterCreation(async (run) => {
    const { bench, name } = run;
    await bench.client.delete(ChronikCluster, { namespace, name });
    await run.until(
      "the deletion",
      async () => (await bench.client.get(ChronikCluster, { namespace, name })) === undefined,
    );
  }),
};

/** Scenarios in which a majority can be lost. A run takes several times longer than with one member. */
export const quorumScenarios: Readonly<Record<string, Scenario>> = {
  "a rolling update and new counts of three voters": scenario(
    async (run) => {
      await run.running();
      await run.change({ config: { common: { a: "b" } }, controllers: 5 });
      await run.running();
      await run.change({ controllers: 3, ingestNodes: 1 });
      await run.running();
    },
    undefined,
    { controllers: 3, ingestNodes: 2 },
  ),
};
