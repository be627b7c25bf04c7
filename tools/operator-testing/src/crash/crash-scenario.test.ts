import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { ConfigMap } from "@homeostat/kubernetes/core/v1";
import { defineOperator, type Operator } from "@homeostat/operator";
import { defineController } from "@homeostat/runtime";
import { defineResource, s } from "@homeostat/schema";
import { type CrashPoint, isAccessReview, type SentRequest } from "../cluster/crashing-transport.ts";
import { type RunningOperator, startClusterWithClock, TestCluster } from "../cluster/test-cluster.ts";
import { CrashRun } from "./crash-run.ts";
import { checkCrashScenario, type CrashScenario } from "./crash-scenario.ts";
import { beforeAndAfterEveryRequest } from "./points.ts";

const Note = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Note",
  spec: { text: s.string() },
  status: { copy: s.string().optional() },
});

/** Copies each Note into a ConfigMap. `nameOf` names the copy; a name that differs from reconcile to reconcile is a mistake. */
function noteOperator(nameOf: (note: string, reconcile: number) => string): Operator {
  let reconciles = 0;
  const notes = defineController({
    for: Note,
    async reconcile({ object, name, namespace, client, setStatus }) {
      if (object.status?.copy !== undefined) return;
      reconciles += 1;
      const copy = nameOf(name, reconciles);
      const metadata = { namespace: namespace ?? "", name: copy };
      if ((await client.get(ConfigMap, metadata)) === undefined)
        await client.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata, data: object.spec });
      setStatus({ copy });
    },
  });
  return defineOperator({ name: "notes", resources: [Note], controllers: [notes] });
}

class NoteRun extends CrashRun<number> {
  readonly #cluster: TestCluster;
  readonly #operator: Operator;
  readonly #name: string;

  constructor(cluster: TestCluster, operator: Operator, name: string) {
    super(cluster);
    this.#cluster = cluster;
    this.#operator = operator;
    this.#name = name;
  }

  protected override async startOperator(crash: CrashPoint | undefined): Promise<RunningOperator> {
    const isCounted = (sent: SentRequest): boolean =>
      !isAccessReview(sent) && (sent.method !== "GET" || sent.path.includes("/configmaps/"));
    return this.#cluster.runOperator({
      operator: () => this.#operator,
      run: { watchNamespaces: ["default"], namespace: "default" },
      isCounted,
      crash,
    });
  }

  async copied(): Promise<void> {
    await this.until("a copy", async () => {
      const note = await this.#cluster.client.get(Note, { namespace: "default", name: this.#name });
      return note?.status?.copy !== undefined;
    });
  }

  override async outcome(): Promise<number> {
    const { items } = await this.#cluster.client.list(ConfigMap, { namespace: "default" });
    return items.filter(({ metadata }) => metadata.name?.startsWith(`${this.#name}-`)).length;
  }
}

let runs = 0;

function copyScenario(operator: Operator): CrashScenario<TestCluster, NoteRun, number> {
  return {
    open: async (cluster) => {
      runs += 1;
      const name = `note${runs}`;
      await cluster.client.create(Note, Note.make({ metadata: { namespace: "default", name }, spec: { text: "hi" } }));
      return new NoteRun(cluster, operator, name);
    },
    play: (run) => run.copied(),
  };
}

const check = {
  select: beforeAndAfterEveryRequest,
  settling: { settleMs: 2_000, quietMs: 60_000, quietSteps: 6 },
  changesMin: 2,
  index: 0,
  sharedChanges: 0,
};

describe("a crash scenario", () => {
  let cluster: TestCluster;
  before(async () => {
    cluster = new TestCluster(await startClusterWithClock({ parts: "api" }), { stepMs: 100, turns: 4 });
    await cluster.client.create(CustomResourceDefinition, Note.crd());
  });
  after(() => cluster[Symbol.asyncDispose]());

  it("passes for an operator that finds what it created before the crash", async () => {
    const operator = noteOperator((note) => `${note}-copy`);

    const { requests, changes } = await checkCrashScenario(cluster, copyScenario(operator), check);

    assert.deepEqual([requests, changes], [3, [2, 3]], "a read, a create, a status");
  });

  it("fails for an operator that creates an object twice, and says at which request", async () => {
    const operator = noteOperator((note, reconcile) => `${note}-copy-${reconcile}`);

    await assert.rejects(checkCrashScenario(cluster, copyScenario(operator), check), /crash after request 2 of 3/);
  });

  it("fails for a scenario in which nothing happens", async () => {
    const scenario = copyScenario(noteOperator((note) => `${note}-copy`));

    await assert.rejects(
      checkCrashScenario(cluster, scenario, { ...check, changesMin: 3 }),
      /2 changes, at least 3 expected/,
    );
  });
});
