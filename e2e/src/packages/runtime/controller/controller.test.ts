// A small operator on an API server: the real client, cache and controller, without a manager.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { Client, type Layer } from "@homeostat/client";
import { type KubeObject, type ResourceType, systemClock, systemRandom } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { ConfigMap, Namespace, Secret } from "@homeostat/kubernetes/core/v1";
import { applied, Cache, clientSources, created, defineController, ReconcileHistory } from "@homeostat/runtime";
import { controllerUnit, correlate, type TermSignals } from "@homeostat/runtime/internal";
import { eachServer } from "../../../harness/each-server.ts";
import type { TestServer } from "../../../harness/test-server.ts";

interface Board extends KubeObject {
  spec: { title: string; notes: number };
  status?: { notes?: number; conditions?: { type: "Ready" | "Valid"; status: string }[] };
}
const Board: ResourceType<Board> & { hasStatus: true } = {
  group: "e2e.homeostat.dev",
  version: "v1",
  kind: "Board",
  plural: "boards",
  scope: "Namespaced",
  hasStatus: true,
};

const definition: CustomResourceDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${Board.plural}.${Board.group}` },
  spec: {
    group: Board.group,
    scope: "Namespaced",
    names: { kind: Board.kind, plural: Board.plural, singular: "board", listKind: "BoardList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: { title: { type: "string" }, notes: { type: "integer" } },
              },
              status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            },
          },
        },
      },
    ],
  },
};

/** Every board has a Secret with a token, created once, and the given number of notes. */
const boards = defineController({
  for: Board,
  owns: { notes: applied(ConfigMap, { deletes: true }), token: created(Secret, { deletes: true }) },
  finalizer: "e2e.homeostat.dev/boards",
  errorCondition: "Valid",
  async reconcile({ object, owned, setStatus, setCondition }) {
    const { name } = object.metadata;
    await owned.token.create({ metadata: { name: `${name}-token` }, stringData: { token: "0000" } });
    for (let i = 0; i < object.spec.notes; i += 1) {
      await owned.notes.apply({ metadata: { name: `${name}-${i}` }, data: { title: object.spec.title } });
    }
    await owned.notes.prune();
    setStatus({ notes: owned.notes.list().length });
    setCondition("Ready", { status: true, reason: "Made" });
  },
  async cleanup({ object, owned }) {
    await owned.notes.prune();
    await owned.token.delete(`${object.metadata.name}-token`);
    return "done";
  },
});

await eachServer("a controller", ({ start }) => {
  const namespace = `controller-${process.pid}`;
  const requests: string[] = [];
  const audits = new Set<string>();
  const history = new ReconcileHistory();
  const life = new AbortController();
  const term = new AbortController();
  let cluster: TestServer;
  let user: Client;
  let client: Client;
  let running: Promise<unknown> = Promise.resolve();

  before(async () => {
    cluster = await start();
    user = await Client.fromKubeconfig({ file: cluster.kubeconfigPath, defaults: { fieldManager: "a-user" } });
    await user.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    await user.create(CustomResourceDefinition, definition);
    await until(async () => {
      const made = await user.get(CustomResourceDefinition, { name: definition.metadata.name ?? "" });
      return made?.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") ?? false;
    });

    const correlation = correlate();
    const count: Layer = (next) => ({
      send: (request) => {
        requests.push(`${request.about?.verb} ${request.about?.resource} ${request.about?.key ?? ""}`);
        const id = correlation.current();
        if (id !== undefined) audits.add(id);
        return next.send(request);
      },
    });
    client = await Client.fromKubeconfig({ file: cluster.kubeconfigPath, layers: [count] });
    const cache = new Cache({ sources: clientSources(client), clock: systemClock, random: systemRandom });
    const parts = { client, cache, clock: systemClock, random: systemRandom, correlation, history };
    const unit = controllerUnit(boards, parts);
    unit.open();
    const signals: TermSignals = { stop: term.signal, abort: life.signal };
    const caching = cache.run(life.signal);
    await unit.ready(AbortSignal.timeout(60_000));
    running = Promise.all([caching, unit.lead(signals).finally(() => unit.close())]);
  });
  after(async () => {
    term.abort();
    life.abort();
    await running;
    await user.delete(Namespace, { name: namespace });
    client.close();
    user.close();
    await cluster.stop();
  });

  const at = (name: string): { namespace: string; name: string } => ({ namespace, name });
  const readyNotes = async (name: string): Promise<number | undefined> => {
    const board = await user.get(Board, at(name));
    const isReady = board?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True");
    return isReady === true ? board?.status?.notes : undefined;
  };
  const titleOf = async (name: string): Promise<string | undefined> =>
    (await user.get(ConfigMap, at(name)))?.data?.["title"];

  it("creates the desired objects and writes the status", async () => {
    await user.create(Board, {
      apiVersion: "e2e.homeostat.dev/v1",
      kind: "Board",
      metadata: at("home"),
      spec: { title: "hello", notes: 2 },
    });
    await until(async () => (await readyNotes("home")) === 2);

    const note = await user.get(ConfigMap, at("home-1"));
    const board = await user.get(Board, at("home"));

    assert.equal(note?.data?.["title"], "hello");
    assert.equal(note?.metadata.ownerReferences?.[0]?.uid, board?.metadata.uid);
    assert.equal(note?.metadata.ownerReferences?.[0]?.controller, true);
    assert.deepEqual(board?.metadata.finalizers, ["e2e.homeostat.dev/boards"]);
    assert.ok(await user.get(Secret, at("home-token")));
  });

  it("follows the spec, and deletes objects that are no longer desired", async () => {
    await user.patch(Board, at("home"), { merge: { spec: { title: "bye", notes: 1 } } });

    await until(async () => (await readyNotes("home")) === 1);

    assert.equal(await titleOf("home-0"), "bye");
    assert.equal(await user.get(ConfigMap, at("home-1")), undefined);
  });

  it("corrects drift, and recreates deleted objects", async () => {
    await user.patch(ConfigMap, at("home-0"), { merge: { data: { title: "graffiti" } } });
    await until(async () => (await titleOf("home-0")) === "bye");

    const before = await user.get(ConfigMap, at("home-0"));
    await user.delete(ConfigMap, at("home-0"));
    await until(async () => (await titleOf("home-0")) === "bye");
    const again = await user.get(ConfigMap, at("home-0"));

    assert.notEqual(again?.metadata.uid, before?.metadata.uid);
  });

  it("sends no requests when the observed state is as desired", async () => {
    await until(async () => history.explain("boards", `${namespace}/home`).now?.state === "idle");
    const sent = requests.length;

    await systemClock.sleep(3000);

    const after = requests.slice(sent).filter((request) => !request.startsWith("watch "));
    assert.deepEqual(after, []);
  });

  it("cleans up before it removes the finalizer", async () => {
    await user.delete(Board, at("home"));

    await until(async () => (await user.get(Board, at("home"))) === undefined);

    assert.equal(await user.get(ConfigMap, at("home-0")), undefined);
    assert.equal(await user.get(Secret, at("home-token")), undefined);
  });

  it("records its actions and their causes", () => {
    const { reconciles } = history.explain("boards", `${namespace}/home`);

    const made = reconciles.at(-1);
    assert.match(made?.why.join() ?? "", /^add Board controller-\d+\/home$/);
    assert.deepEqual(
      made?.writes.map(({ verb, resource, result }) => `${verb} ${resource} ${result}`),
      [
        "patch boards.e2e.homeostat.dev written",
        "create secrets written",
        "apply configmaps written",
        "apply configmaps written",
        "patch boards.e2e.homeostat.dev/status written",
      ],
    );
    assert.deepEqual(
      reconciles.filter(({ result }) => result !== "done"),
      [],
    );
    assert.ok(reconciles.length <= 6, `${reconciles.length} runs`);
    assert.ok(reconciles.every(({ id }) => audits.has(id)));
  });
});

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = systemClock.monotonic() + 60_000;
  while (!(await isTrue())) {
    assert.ok(systemClock.monotonic() < deadline, "the condition did not become true in time");
    await systemClock.sleep(20);
  }
}
