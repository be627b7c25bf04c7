// Managed objects of a controller on an API server: defaults of the server are no drift, and every write is conditional.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { Client, type Layer } from "@homeostat/client";
import { systemClock, systemRandom } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { ConfigMap, Namespace, Service } from "@homeostat/kubernetes/core/v1";
import { NetworkPolicy } from "@homeostat/kubernetes/networking/v1";
import { RoleBinding } from "@homeostat/kubernetes/rbac/v1";
import {
  Cache,
  clientSources,
  type Controller,
  defineController,
  type DesiredObject,
  NotOwnedError,
  type SyncResult,
} from "@homeostat/runtime";
import { controllerUnit } from "@homeostat/runtime/internal";
import { eachServer } from "../../../harness/each-server.ts";
import type { TestServer } from "../../../harness/test-server.ts";
import { owns, Stall, stallDefinition, tiersOf } from "./stall.ts";

await eachServer("managed objects", ({ start }) => {
  const namespace = `managed-${process.pid}`;
  const otherNamespace = `${namespace}-other`;
  const key = { namespace, name: "shop" };
  const results: SyncResult[] = [];
  const requests: string[] = [];
  let server: TestServer;
  let user: Client;
  let running: { stop(): Promise<void> };

  const stalls = (): Controller =>
    defineController({
      for: Stall,
      owns,
      finalizer: "managed.example.com/stalls",
      async reconcile({ object, managed }) {
        results.push(await managed.sync(tiersOf(object, otherNamespace)));
      },
      async cleanup({ managed }) {
        const named = [{ type: owns["secrets"]?.type ?? Stall, key }];
        return (await managed.deleteAll({ named })).length === 0 ? "done" : { requeueAfterMs: 50 };
      },
    });

  before(async () => {
    server = await start();
    user = await Client.fromKubeconfig({ file: server.kubeconfigPath, defaults: { fieldManager: "a-user" } });
    for (const name of [namespace, otherNamespace]) {
      await user.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    }
    await user.create(CustomResourceDefinition, stallDefinition);
    await until(async () => {
      const made = await user.get(CustomResourceDefinition, { name: "stalls.managed.example.com" });
      return made?.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") === true;
    });
    running = await run();
  });

  after(async () => {
    await running.stop();
    user.close();
    await server.stop();
  });

  /** Runs the controller with its own caches and memory, as in a separate process. */
  async function run(controller = stalls()): Promise<{ stop(): Promise<void> }> {
    const count: Layer = (next) => ({
      send: (request) => {
        const { verb = "", resource = "" } = request.about ?? {};
        if (verb !== "watch" && verb !== "list") requests.push(`${verb} ${resource}`);
        return next.send(request);
      },
    });
    const client = await Client.fromKubeconfig({ file: server.kubeconfigPath, layers: [count] });
    const life = new AbortController();
    const cache = new Cache({ sources: clientSources(client), clock: systemClock, random: systemRandom });
    const unit = controllerUnit(controller, { client, cache, clock: systemClock, random: systemRandom });
    const caching = cache.run(life.signal);
    unit.open();
    await unit.ready(life.signal);
    const leading = unit.lead({ stop: life.signal, abort: new AbortController().signal });
    return {
      async stop() {
        life.abort();
        await leading;
        unit.close();
        await caching;
        client.close();
      },
    };
  }

  /** Acts, and returns the results by object of the first sync afterwards in which an object has an outcome. */
  async function afterSync(
    [name, outcome]: readonly [name: string, outcome: string],
    act: () => Promise<unknown>,
  ): Promise<ReadonlyMap<string, string>> {
    const count = results.length;
    requests.length = 0;
    await act();
    const found = (): ReadonlyMap<string, string> | undefined =>
      results
        .slice(count)
        .map(outcomesOf)
        .find((outcomes) => outcomes.get(name) === outcome);
    await until(async () => found() !== undefined);
    return found() ?? new Map();
  }

  const stall = (spec: Partial<Stall["spec"]> = {}): Stall => ({
    apiVersion: "managed.example.com/v1",
    kind: "Stall",
    metadata: key,
    spec: { image: "example.com/web:1", role: "view", options: { COLOR: "red", SIZE: "m" }, ...spec },
  });
  const change = async (spec: Partial<Stall["spec"]>): Promise<unknown> =>
    user.patch(Stall, key, { merge: { spec: { ...stall(spec).spec, ...spec } } });

  const unchanged = ["ConfigMap shop", "unchanged"] as const;
  const again = { merge: { metadata: { annotations: { again: "1" } } } };

  it("are created with one request each, and cause no requests afterwards, also after a restart", async () => {
    const first = await afterSync(["HorizontalPodAutoscaler shop", "created"], () => user.create(Stall, stall()));
    const created = requests.filter((request) => request.startsWith("create "));

    assert.deepEqual(new Set(first.values()), new Set(["created"]), JSON.stringify([...first]));
    assert.equal(created.length, first.size);
    const repeated = await afterSync(unchanged, () => user.patch(Stall, key, again));
    assert.deepEqual(
      [...repeated].filter(([, result]) => result !== "unchanged"),
      [],
    );
    assert.deepEqual(requests, ["get secrets"], "a kind without a cache is read by name");

    await running.stop();
    const restarted = await afterSync(unchanged, async () => {
      running = await run();
    });
    assert.deepEqual(
      [...restarted].filter(([, result]) => result !== "unchanged"),
      [],
    );
    assert.deepEqual(requests, ["get secrets"]);
  });

  it("lose fields that are no longer desired, and keep those of other managers", async () => {
    await user.patch(ConfigMap, key, { merge: { data: { theirs: "1" } } });

    const result = await afterSync(["ConfigMap shop", "updated"], () =>
      user.patch(Stall, key, { merge: { spec: { image: "example.com/web:2", options: { SIZE: null } } } }),
    );

    assert.equal(result.get("ConfigMap shop"), "updated");
    assert.equal(result.get("Deployment shop"), "updated");
    assert.deepEqual((await user.get(ConfigMap, key))?.data, { title: "shop", COLOR: "red", theirs: "1" });
    const container = (await user.get(Deployment, key))?.spec?.template.spec?.containers[0];
    assert.deepEqual([container?.image, container?.env], ["example.com/web:2", [{ name: "COLOR", value: "red" }]]);
    const managers = (await user.get(Deployment, key))?.metadata.managedFields;
    assert.deepEqual(
      managers?.map(({ manager, operation }) => `${manager} ${operation}`),
      ["stalls Apply"],
    );
  });

  it("are corrected when another client changes them, and the event names the client", async () => {
    const result = await afterSync(["Service shop", "corrected"], () =>
      user.patch(Service, key, { merge: { spec: { ports: [{ name: "http", port: 81, targetPort: "http" }] } } }),
    );

    assert.equal(result.get("Service shop"), "corrected");
    const outcome = results.map((each) => outcomeOf(each, "Service shop")).find((each) => each?.result === "corrected");
    assert.deepEqual(outcome?.result === "corrected" ? outcome.drift : undefined, {
      fields: ["spec.ports"],
      managers: ["a-user"],
      wasDeleted: false,
    });
    assert.deepEqual(
      (await user.get(Service, key))?.spec?.ports?.map(({ port }) => port),
      [80],
    );
  });

  it("are recreated when another client deletes them, also in another namespace", async () => {
    const other = { namespace: otherNamespace, name: "shop" };

    const result = await afterSync([`ConfigMap ${otherNamespace}/shop`, "created"], () =>
      user.delete(ConfigMap, other),
    );

    assert.equal(result.get(`ConfigMap ${otherNamespace}/shop`), "created");
    assert.deepEqual((await user.get(ConfigMap, other))?.metadata.ownerReferences ?? [], []);
  });

  it("are replaced when an immutable field differs", async () => {
    const before = await user.get(RoleBinding, key);

    const result = await afterSync(["RoleBinding shop", "replaced"], () =>
      change({ role: "edit", image: "example.com/web:2" }),
    );

    const after = await user.get(RoleBinding, key);
    assert.equal(result.get("RoleBinding shop"), "replaced");
    assert.equal(after?.roleRef.name, "edit");
    assert.notEqual(after?.metadata.uid, before?.metadata.uid);
  });

  it("are pruned when they are no longer desired", async () => {
    await change({ role: "edit", hasPolicy: false });

    await until(async () => (await user.get(NetworkPolicy, key)) === undefined);
    assert.deepEqual(results.at(-1)?.failures, []);
  });

  it("never change an object of another owner, with or without the labels", async () => {
    const taken = { namespace, name: "taken" };
    const foreign = await user.create(ConfigMap, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: taken,
      data: { theirs: "1" },
    });

    await user.create(Stall, { ...stall({ hasPolicy: false }), metadata: taken });
    await until(async () => outcomeOf(results.at(-1), "ConfigMap taken") !== undefined);

    const outcome = outcomeOf(results.at(-1), "ConfigMap taken");
    assert.ok(outcome?.result === "failed" && outcome.error instanceof NotOwnedError);
    assert.match(outcome.error.message, /does not belong to Stall .*\/taken: it has no controller/);
    assert.ok(results.some((each) => outcomeOf(each, "Service taken")?.result === "created"));
    assert.equal((await user.get(ConfigMap, taken))?.metadata.resourceVersion, foreign.metadata.resourceVersion);
    await user.delete(Stall, taken);
    await until(async () => (await user.get(Stall, taken)) === undefined);
  });

  it("are deleted by the cleanup of the primary object in all namespaces", async () => {
    await user.delete(Stall, key);

    await until(async () => (await user.get(Stall, key)) === undefined);
    assert.equal(await user.get(StatefulSet, key), undefined);
    assert.equal(await user.get(ConfigMap, { namespace: otherNamespace, name: "shop" }), undefined);
  });

  it("can be planned without writing", async () => {
    const seen: string[] = [];
    const planner = defineController({
      for: Stall,
      name: "planner",
      owns,
      async reconcile({ managed, object }) {
        const plan = await managed.plan(tiersOf(object, otherNamespace));
        seen.push(...plan.map(({ action, object: what }) => `${action} ${what}`));
      },
    });
    await running.stop();
    running = await run(planner);

    await user.create(Stall, stall());
    await until(async () => seen.length > 0);

    assert.ok(seen.includes(`create ConfigMap ${namespace}/shop`) && seen.every((line) => line.startsWith("create ")));
    assert.equal(await user.get(ConfigMap, key), undefined);
  });
});

function outcomesOf(result: SyncResult | undefined): ReadonlyMap<string, string> {
  return new Map([...(result?.outcomes ?? [])].map(([object, { result: is }]) => [nameIn(object), is]));
}

function outcomeOf(
  result: SyncResult | undefined,
  name: string,
): (SyncResult["outcomes"] extends ReadonlyMap<unknown, infer O> ? O : never) | undefined {
  return [...(result?.outcomes ?? [])].find(([object]) => nameIn(object) === name)?.[1];
}

function nameIn({ type, object }: DesiredObject): string {
  const { namespace, name } = object.metadata;
  return `${type.kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    if (await isTrue()) return;
    await systemClock.sleep(50);
  }
  throw new Error("the condition did not become true within 20 s");
}
