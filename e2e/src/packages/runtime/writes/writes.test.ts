// Checks what the write handles of a reconciler assume about an API server.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { Client, createClient, loadConnection, type ObjectToApply } from "@homeostat/client";
import {
  asStored,
  ConflictError,
  ForbiddenError,
  InvalidError,
  type KubeObject,
  systemClock,
  systemRandom,
} from "@homeostat/core";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { ConfigMap, Namespace, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { Role, RoleBinding } from "@homeostat/kubernetes/rbac/v1";
import {
  applied,
  ApplyConflictError,
  BeingDeletedError,
  Cache,
  clientSources,
  created,
  type Informer,
  NotOwnedError,
  ownerUidOf,
} from "@homeostat/runtime";
import {
  ApplyMemory,
  ensureFinalizer,
  HotLoops,
  ownedHandle,
  ownerIndex,
  releaseFinalizer,
  StatusDraft,
  writeStatus,
} from "@homeostat/runtime/internal";
import { eachServer } from "../../../harness/each-server.ts";
import type { TestServer } from "../../../harness/test-server.ts";
import { begin, Box, installBox, type Run, type RunParts } from "./bench.ts";

await eachServer("the writes of a reconciler", ({ start }) => {
  let cluster: TestServer;
  let client: Client;
  let other: Client;
  let configMaps: Informer<ConfigMap, "owner">;
  let deployments: Informer<Deployment, "owner">;
  let parts: RunParts;
  const namespace = `writes-${process.pid}`;
  const stop = new AbortController();
  let running: Promise<void>;

  before(async () => {
    cluster = await start();
    client = await Client.fromKubeconfig({ file: cluster.kubeconfigPath });
    other = await Client.fromKubeconfig({
      file: cluster.kubeconfigPath,
      defaults: { fieldManager: "another-manager" },
    });
    await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    await installBox(client);
    const cache = new Cache({ sources: clientSources(client), clock: systemClock, random: systemRandom });
    configMaps = cache.informer(ConfigMap, { namespace }).index(ownerIndex, ownerUidOf);
    deployments = cache.informer(Deployment, { namespace }).index(ownerIndex, ownerUidOf);
    parts = {
      client,
      cache,
      informers: [
        [ConfigMap, configMaps],
        [Deployment, deployments],
      ],
    };
    running = cache.run(stop.signal);
    await Promise.all([configMaps.ready(stop.signal), deployments.ready(stop.signal)]);
  });
  after(async () => {
    stop.abort();
    await running;
    client.close();
    other.close();
    await cluster.stop();
  });

  let boxes = 0;
  const newBox = async (): Promise<Box> => {
    boxes += 1;
    const metadata = { namespace, name: `box-${boxes}` };
    return client.create(Box, { apiVersion: "writes.example.com/v1", kind: "Box", metadata, spec: { size: 1 } });
  };
  const results = ({ notes }: Run): string[] => notes.map(({ verb, result }) => `${verb} ${result}`);
  const config = (name: string, data: Record<string, string>): { metadata: { name: string }; data: typeof data } => ({
    metadata: { name },
    data,
  });
  const web = (name: string, replicas: number): ObjectToApply<Deployment> => ({
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: "web", image: "web:1", resources: { limits: { cpu: "1000m" } } }] },
      },
    },
  });

  it("applies, skips unchanged objects, and writes nothing after a restart", async () => {
    const box = await newBox();
    const memory = new ApplyMemory();
    const first = begin(box, { ...parts, memory });
    const handle = ownedHandle(applied(Deployment), { ...first.scope, informer: deployments });

    const made = await handle.apply(web("settled", 2));
    const again = await handle.apply(web("settled", 2));
    const restarted = begin(box, parts);
    const sent = await ownedHandle(applied(Deployment), { ...restarted.scope, informer: deployments }).apply(
      web("settled", 2),
    );

    assert.deepEqual(results(first), ["apply written", "apply skipped"]);
    assert.deepEqual(results(restarted), ["apply unchanged"]);
    assert.equal(sent.metadata.resourceVersion, made.metadata.resourceVersion);
    assert.equal(again.metadata.uid, made.metadata.uid);
    const [reference] = made.metadata.ownerReferences ?? [];
    assert.deepEqual(
      { uid: reference?.uid, controller: reference?.controller, block: reference?.blockOwnerDeletion },
      { uid: box.metadata.uid, controller: true, block: true },
    );
  });

  it("applies again when another manager has changed a field, and names the field and the manager", async () => {
    const box = await newBox();
    const run = begin(box, parts);
    const handle = ownedHandle(applied(Deployment), { ...run.scope, informer: deployments });
    await handle.apply(web("contested", 2));
    await other.patch(Deployment, { namespace, name: "contested" }, { merge: { spec: { replicas: 7 } } });
    await seen(deployments, "contested", (object) => object.spec?.replicas === 7);

    const taken = await handle.apply(web("contested", 2));

    assert.equal(taken.spec?.replicas, 2);
    assert.deepEqual(run.reports, [
      {
        type: "conflict",
        object: `Deployment ${namespace}/contested`,
        conflicts: [{ field: "spec.replicas", manager: "another-manager" }],
        wasTaken: true,
      },
    ]);
    assert.deepEqual(run.notes.at(-1)?.fields, ["spec.replicas"]);
  });

  it("does not take over a field of another manager with the conflict policy fail", async () => {
    const box = await newBox();
    const { scope } = begin(box, parts);
    const handle = ownedHandle(applied(Deployment), { ...scope, informer: deployments });
    await handle.apply(web("kept", 2));
    await other.patch(Deployment, { namespace, name: "kept" }, { merge: { spec: { replicas: 7 } } });
    await seen(deployments, "kept", (object) => object.spec?.replicas === 7);

    await assert.rejects(
      handle.apply(web("kept", 2), { conflicts: "fail" }),
      (error) => error instanceof ApplyConflictError && error.conflicts[0]?.manager === "another-manager",
    );

    assert.equal((await client.get(Deployment, { namespace, name: "kept" }))?.spec?.replicas, 7);
  });

  it("changes neither objects of other owners nor terminating objects", async () => {
    const box = await newBox();
    const { scope } = begin(box, parts);
    const handle = ownedHandle(applied(ConfigMap), { ...scope, informer: configMaps });
    const maker = ownedHandle(created(ConfigMap), { ...scope, informer: configMaps });
    await other.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name: "theirs" } });
    await handle.apply({ metadata: { name: "leaving", finalizers: ["example.com/held"] } });
    await other.delete(ConfigMap, { namespace, name: "leaving" });

    await assert.rejects(handle.apply(config("theirs", { a: "1" })), NotOwnedError);
    await assert.rejects(maker.create(config("theirs", { a: "1" })), NotOwnedError);
    await seen(configMaps, "leaving", ({ metadata }) => metadata.deletionTimestamp !== undefined);
    await assert.rejects(handle.apply(config("leaving", { a: "1" })), BeingDeletedError);

    assert.equal((await client.get(ConfigMap, { namespace, name: "theirs" }))?.data, undefined);
    await other.patch(ConfigMap, { namespace, name: "leaving" }, { merge: { metadata: { finalizers: null } } });
  });

  it("does not apply to a later object with the same name", async () => {
    const box = await newBox();
    const { scope, notes } = begin(box, parts);
    const stale = { get: () => old, by: () => [] };
    const handle = ownedHandle(applied(ConfigMap), { ...scope, informer: stale });
    const old = await ownedHandle(applied(ConfigMap), { ...scope, informer: configMaps }).apply(config("reborn", {}));
    await other.delete(ConfigMap, { namespace, name: "reborn" });
    await other.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name: "reborn" } });

    await assert.rejects(handle.apply(config("reborn", { a: "1" })), NotOwnedError);

    assert.ok(notes.at(-1)?.error instanceof InvalidError, "the uid of another object cannot be changed");
    assert.equal((await client.get(ConfigMap, { namespace, name: "reborn" }))?.data, undefined);
    await other.delete(ConfigMap, { namespace, name: "reborn" });
    await assert.rejects(
      handle.apply(config("reborn", { a: "1" })),
      ConflictError,
      "with a uid, a deleted object is not created again",
    );
    assert.equal(await client.get(ConfigMap, { namespace, name: "reborn" }), undefined);
  });

  it("creates once, and finds its own object when the cache does not contain it yet", async () => {
    const box = await newBox();
    const run = begin(box, parts);
    const blind = { get: () => undefined, by: () => [] };

    const first = await ownedHandle(created(ConfigMap), { ...run.scope, informer: blind }).create(config("once", {}));
    const second = await ownedHandle(created(ConfigMap), { ...run.scope, informer: blind }).create(config("once", {}));

    assert.equal(first.isNew, true);
    assert.equal(second.isNew, false);
    assert.equal(second.object.metadata.uid, first.object.metadata.uid);
  });

  it("prunes objects that are no longer desired, by uid", async () => {
    const box = await newBox();
    const { scope } = begin(box, parts);
    const kind = applied(ConfigMap, { deletes: true });
    const early = ownedHandle(kind, { ...scope, informer: configMaps });
    for (const name of ["stays", "goes", "kept-by-name"]) await early.apply(config(name, {}));
    const later = ownedHandle(kind, { ...scope, informer: configMaps });
    await later.apply(config("stays", {}));

    const pruned = await later.prune({ keep: ["kept-by-name"] });

    assert.deepEqual(pruned, [`${namespace}/goes`]);
    assert.deepEqual(
      later.list().map(({ metadata }) => metadata.name),
      ["stays", "kept-by-name"],
    );
    assert.equal(await later.delete("goes"), false);
  });

  it("writes the status once, keeps fields of other managers, and writes nothing the second time", async () => {
    const box = await newBox();
    const condition = { reason: "Given", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" };
    await other.patch(
      Box,
      { namespace, name: box.metadata.name ?? "" },
      { merge: { status: { conditions: [{ ...condition, type: "Theirs", status: "True" }] } } },
      { subresource: "status" },
    );
    const run = begin(box, parts);
    const draft = new StatusDraft(box);
    draft.set({ phase: "Ready" });
    draft.setCondition("Ready", { status: true, reason: "AllThere" }, systemClock.now());

    const wrote = await writeStatus(run.scope, draft);
    assert.ok(wrote.result === "written");
    const repeated = await writeStatus({ ...run.scope, object: asStored(wrote.answer.object) }, draft);

    const live = await client.get(Box, { namespace, name: box.metadata.name ?? "" });
    assert.equal(live?.status?.phase, "Ready");
    assert.deepEqual(
      live?.status?.conditions?.map(({ type }) => type),
      ["Theirs", "Ready"],
    );
    assert.equal(repeated.result, "unchanged");
    assert.deepEqual(results(run), ["patch failed", "patch written", "patch skipped"]);
    assert.ok(run.notes[0]?.error instanceof ConflictError, "an outdated resourceVersion is a conflict on status, too");
  });

  it("drops the status of a deleted object, and never writes it to the next object with its name", async () => {
    const box = await newBox();
    const name = { namespace, name: box.metadata.name ?? "" };
    const draft = new StatusDraft(box);
    draft.set({ phase: "Old" });
    await client.delete(Box, name);
    const gone = await writeStatus(begin(box, parts).scope, draft);
    await client.create(Box, { apiVersion: box.apiVersion, kind: box.kind, metadata: name });

    const replaced = await writeStatus(begin(box, parts).scope, draft);

    assert.deepEqual([gone.result, replaced.result], ["gone", "gone"]);
    assert.equal((await client.get(Box, name))?.status, undefined);
  });

  it("adds a finalizer to a changed object, and removes it from among others", async () => {
    const box = await newBox();
    const name = { namespace, name: box.metadata.name ?? "" };
    await other.patch(Box, name, { merge: { metadata: { finalizers: ["example.com/a"] } } });
    const run = begin(box, parts);

    const held = await ensureFinalizer(run.scope, "example.com/b");
    await other.patch(Box, name, {
      json: [{ op: "add", path: "/metadata/finalizers/0", value: "example.com/c" }],
    });
    assert.ok(held.result === "held");
    const free = await releaseFinalizer({ ...run.scope, object: held.object }, "example.com/b");

    const live = await client.get(Box, name);
    assert.equal(free.result, "free");
    assert.deepEqual(live?.metadata.finalizers, ["example.com/c", "example.com/a"]);
    assert.deepEqual(results(run), ["patch failed", "patch written", "patch failed", "patch written"]);
    for (const { error } of run.notes) {
      if (error !== undefined) assert.ok(error instanceof InvalidError, "a JSON patch whose test fails is invalid");
    }
  });

  it("reports that an object is terminating or deleted instead of adding a finalizer", async () => {
    const box = await newBox();
    const name = { namespace, name: box.metadata.name ?? "" };
    await other.patch(Box, name, { merge: { metadata: { finalizers: ["example.com/a"] } } });
    await other.delete(Box, name);

    const leaving = await ensureFinalizer(begin(box, parts).scope, "example.com/b");
    await other.patch(Box, name, { merge: { metadata: { finalizers: null } } });
    const gone = await ensureFinalizer(begin(box, parts).scope, "example.com/b");
    const released = await releaseFinalizer(
      begin({ ...box, metadata: { ...box.metadata, finalizers: ["example.com/b"] } }, parts).scope,
      "example.com/b",
    );

    assert.deepEqual([leaving.result, gone.result, released.result], ["leaving", "gone", "gone"]);
  });

  it("is not notified of its own writes, but of those of others", async () => {
    const box = await newBox();
    const { scope } = begin(box, parts);
    const handle = ownedHandle(applied(ConfigMap), { ...scope, informer: configMaps });
    const notified: string[] = [];
    using subscription = configMaps.subscribe((event) => {
      const { name, resourceVersion } = event.object.metadata;
      if (name === "echo" && !event.isKnownTo(`boxes ${scope.key}`)) notified.push(`${event.type} ${resourceVersion}`);
    });
    await subscription.replayed;

    await handle.apply(config("echo", { a: "1" }));
    await handle.apply(config("echo", { a: "2" }));
    const { metadata } = await other.patch(ConfigMap, { namespace, name: "echo" }, { merge: { data: { b: "3" } } });
    await seen(configMaps, "echo", ({ data }) => data?.["b"] === "3");

    assert.deepEqual(notified, [`update ${metadata.resourceVersion}`]);
  });

  it("detects a fight over a field and names the other manager", async () => {
    const box = await newBox();
    const hotLoops = new HotLoops({ clock: systemClock, repeatsMax: 3 });
    const run = begin(box, { ...parts, hotLoops });
    const handle = ownedHandle(applied(Deployment), { ...run.scope, informer: deployments });
    await handle.apply(web("fought-over", 2));
    for (let round = 0; round < 3; round += 1) {
      const strategic = { spec: { template: { spec: { containers: [{ name: "web", image: "web:2" }] } } } };
      await other.patch(Deployment, { namespace, name: "fought-over" }, { strategic });
      await seen(deployments, "fought-over", ({ spec }) => spec?.template.spec?.containers[0]?.image === "web:2");
      await handle.apply(web("fought-over", 2));
    }

    const loop = run.reports.find((report) => report.type === "hot-loop")?.loop;

    assert.deepEqual(
      { type: loop?.type, fields: loop?.fields, others: loop?.others, repeats: loop?.repeats },
      {
        type: "fight",
        fields: ["spec.template.spec.containers[name=web].image"],
        others: ["another-manager"],
        repeats: 3,
      },
    );
    assert.ok(hotLoops.holdMsOf(run.scope.key) > 0);
  });

  it("needs only the permissions get, create and patch to apply", async () => {
    const box = await newBox();
    const user = { namespace, name: "applier" };
    await client.create(ServiceAccount, { apiVersion: "v1", kind: "ServiceAccount", metadata: user });
    const grant = async (verbs: string[]): Promise<void> => {
      await client.apply(
        Role,
        { metadata: user, rules: [{ apiGroups: [""], resources: ["configmaps"], verbs }] },
        { fieldManager: "suite" },
      );
    };
    await grant(["get", "patch"]);
    await client.create(RoleBinding, {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata: user,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: user.name },
      subjects: [{ kind: "ServiceAccount", ...user }],
    });
    const connection = await loadConnection({ file: cluster.kubeconfigPath });
    using limited = createClient(
      {
        ...connection,
        impersonate: {
          user: `system:serviceaccount:${namespace}:applier`,
          uid: undefined,
          groups: [],
          extra: new Map(),
        },
      },
      {},
    );
    const { scope } = begin(box, { ...parts, client: limited });
    const handle = ownedHandle(applied(ConfigMap), { ...scope, informer: configMaps });

    await assert.rejects(handle.apply(config("limited", { a: "1" })), ForbiddenError);
    await grant(["get", "patch", "create"]);
    const made = await eventually(() => handle.apply(config("limited", { a: "1" })));

    assert.equal(made.metadata.name, "limited");
  });

  /** The authorizer needs a moment to observe new permissions. */
  async function eventually<R>(attempt: () => Promise<R>): Promise<R> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof ForbiddenError) || tries === 100) throw error;
        await systemClock.sleep(50);
      }
    }
  }

  /** Resolves when the cache contains an object in the given state. */
  async function seen<T extends KubeObject>(
    informer: Informer<T, "owner">,
    name: string,
    isSo: (object: NonNullable<ReturnType<Informer<T>["get"]>>) => boolean,
  ): Promise<void> {
    for (let tries = 0; tries < 200; tries += 1) {
      const object = informer.get({ namespace, name });
      if (object !== undefined && isSo(object)) return;
      await systemClock.sleep(10);
    }
    assert.fail(`the cache never contained ${name} in the expected state`);
  }
});
