// Tests all operations of the client.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { Client, createClient, type Layer, ListScanner, loadConnection, metadataOnly } from "@homeostat/client";
import {
  AlreadyExistsError,
  BadRequestError,
  ConflictError,
  type KubeObject,
  ExpiredError,
  ForbiddenError,
  InvalidError,
  NotFoundError,
  type ResourceType,
  systemClock,
  TooManyRequestsError,
  UnauthorizedError,
} from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { ConfigMap, Namespace, Pod, Secret, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { PodDisruptionBudget } from "@homeostat/kubernetes/policy/v1";
import { eachServer } from "../../harness/each-server.ts";
import type { TestServer } from "../../harness/test-server.ts";

await eachServer("the client", ({ start }) => {
  let cluster: TestServer;
  let client: Client;
  const warnings: string[] = [];
  const namespace = `client-${process.pid}`;

  before(async () => {
    cluster = await start({ compactsQuickly: true });
    client = await Client.fromKubeconfig({
      file: cluster.kubeconfigPath,
      defaults: { fieldManager: "client-suite" },
      onWarning: ({ text }) => warnings.push(text),
    });
    await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  });
  after(async () => {
    await client.delete(Namespace, { name: namespace });
    client.close();
    await cluster.stop();
  });

  const at = (name: string): { namespace: string; name: string } => ({ namespace, name });
  const configMap = (name: string, data: Record<string, string> = {}): ConfigMap => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { ...at(name), labels: { suite: "client" } },
    data,
  });
  const deployment = (name: string): Deployment => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: at(name),
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: "main", image: "busybox" }] },
      },
    },
  });

  it("reads the version of the API server and its readiness", async () => {
    const { major, minor } = await client.version();
    const ready = await client.raw({ method: "GET", path: "/readyz", headers: { accept: "*/*" } });
    const pieces: string[] = [];
    for await (const piece of ready.body) pieces.push(Buffer.from(piece).toString());

    assert.deepEqual([major, minor > 30], [1, true]);
    assert.equal(pieces.join(""), "ok");
  });

  it("discovers the same kinds by aggregated and by legacy discovery", async () => {
    const plain: Layer = (next) => ({
      send: (request) => next.send({ ...request, headers: { ...request.headers, accept: "application/json" } }),
    });
    using old = await Client.fromKubeconfig({ file: cluster.kubeconfigPath, layers: [plain] });

    const [aggregated, legacy] = await Promise.all([client.discover(), old.discover()]);

    const sorted = (resources: typeof legacy.resources): string[] =>
      resources.map((resource) => JSON.stringify(resource)).sort();
    assert.deepEqual(sorted(aggregated.resources), sorted(legacy.resources));
    assert.equal(aggregated.failures.size, 0);
    assert.equal((await client.mapper.byName("deploy"))?.kind, "Deployment");
    assert.equal((await client.mapper.byKind({ group: "batch", kind: "Job" }))?.version, "v1");
  });

  it("creates, reads, replaces and deletes", async () => {
    const made = await client.create(ConfigMap, configMap("one", { a: "1" }));
    const read = await client.get(ConfigMap, at("one"));
    const replaced = await client.update(ConfigMap, { ...made, data: { a: "2" } });

    assert.deepEqual(read, made);
    assert.deepEqual(replaced.data, { a: "2" });
    await assert.rejects(client.create(ConfigMap, configMap("one")), AlreadyExistsError);
    await assert.rejects(
      client.update(ConfigMap, made),
      (error) => error instanceof ConflictError && error.conflict === "version",
    );
    await assert.rejects(
      client.delete(ConfigMap, at("one"), { preconditions: { uid: "00000000-0000-0000-0000-000000000000" } }),
      ConflictError,
    );
    await assert.rejects(
      client.delete(ConfigMap, at("one"), { preconditions: { resourceVersion: made.metadata.resourceVersion } }),
      ConflictError,
    );
    assert.equal((await client.delete(ConfigMap, at("one"), { dryRun: true })).wasFound, true);
    assert.equal((await client.get(ConfigMap, at("one")))?.data?.["a"], "2", "a dry run stores nothing");
    const deleted = await client.delete(ConfigMap, at("one"), {
      preconditions: { uid: made.metadata.uid, resourceVersion: replaced.metadata.resourceVersion },
    });
    assert.deepEqual(deleted, { wasFound: true, object: undefined });
    assert.equal(await client.get(ConfigMap, at("one")), undefined);
    assert.deepEqual(await client.delete(ConfigMap, at("one")), { wasFound: false, object: undefined });
  });

  it("distinguishes a missing object from a missing kind and from a missing namespace", async () => {
    const nowhere: ResourceType = { group: "no.example", version: "v1", kind: "No", plural: "noes", scope: "Cluster" };

    assert.equal(await client.get(Job, { namespace: "no-such-namespace", name: "x" }), undefined);
    await assert.rejects(client.get(nowhere, { name: "x" }), NotFoundError);
    await assert.rejects(client.list(nowhere), NotFoundError);
    await assert.rejects(
      client.create(ConfigMap, { ...configMap("x"), metadata: { name: "x", namespace: "no-such-namespace" } }),
      NotFoundError,
    );
  });

  it("returns a terminating object until its finalizers are removed", async () => {
    const object = configMap("held");
    await client.create(ConfigMap, { ...object, metadata: { ...object.metadata, finalizers: ["example.com/hold"] } });

    const held = await client.delete(ConfigMap, at("held"), { propagation: "Foreground" });
    const still = await client.get(ConfigMap, at("held"));
    await client.patch(ConfigMap, at("held"), { merge: { metadata: { finalizers: null } } });

    assert.ok(held.object?.metadata.deletionTimestamp !== undefined);
    assert.deepEqual(still?.metadata.finalizers, ["foregroundDeletion", "example.com/hold"].toReversed());
    assert.equal(await client.get(ConfigMap, at("held")), undefined);
  });

  it("sends JSON, merge and strategic merge patches", async () => {
    await client.create(Deployment, deployment("patched"));

    await client.patch(Deployment, at("patched"), { merge: { metadata: { labels: { a: "1", b: "2" } } } });
    await client.patch(Deployment, at("patched"), { json: [{ op: "remove", path: "/metadata/labels/a" }] });
    const containers = [{ name: "side", image: "busybox" }];
    const patched = await client.patch(Deployment, at("patched"), {
      strategic: { spec: { template: { spec: { containers } } } },
    });

    assert.deepEqual(patched.metadata.labels, { b: "2" });
    assert.deepEqual(patched.spec.template.spec?.containers.map(({ name }) => name).sort(), ["main", "side"]);
    await assert.rejects(
      client.patch(Deployment, at("patched"), { json: [{ op: "test", path: "/metadata/labels/b", value: "x" }] }),
      InvalidError,
    );
    await client.delete(Deployment, at("patched"));
  });

  it("applies fields, removes fields that are left out, and names the owners of conflicting fields", async () => {
    const first = await client.apply(ConfigMap, { metadata: at("applied"), data: { a: "1", b: "1" } });
    const again = await client.apply(ConfigMap, { metadata: at("applied"), data: { a: "1", b: "1" } });
    const less = await client.apply(ConfigMap, { metadata: at("applied"), data: { a: "1" } });

    assert.equal(again.metadata.resourceVersion, first.metadata.resourceVersion);
    assert.deepEqual(less.data, { a: "1" });
    const other = { metadata: at("applied"), data: { a: "2" } };
    await assert.rejects(
      client.apply(ConfigMap, other, { fieldManager: "other" }),
      (error) =>
        error instanceof ConflictError &&
        error.conflict === "fields" &&
        error.causes[0]?.field === ".data.a" &&
        /client-suite/.test(error.causes[0].message ?? ""),
    );
    const forced = await client.apply(ConfigMap, other, { fieldManager: "other", force: true });
    assert.deepEqual(forced.data, { a: "2" });
  });

  it("writes status and scale through their subresources", async () => {
    const made = await client.create(Deployment, deployment("parts"));

    const status = await client.update(
      Deployment,
      { ...made, spec: { ...made.spec, replicas: 9 }, status: { ...made.status, observedGeneration: 7 } },
      { subresource: "status" },
    );
    const scale = await client.get(Deployment, at("parts"), { subresource: "scale" });
    assert.ok(scale !== undefined);
    const scaled = await client.update(Deployment, { ...scale, spec: { replicas: 4 } }, { subresource: "scale" });
    const patched = await client.patch(
      Deployment,
      at("parts"),
      { merge: { spec: { replicas: 5 } } },
      { subresource: "scale" },
    );
    const applied = await client.apply(
      Deployment,
      { metadata: at("parts"), status: { observedGeneration: 8 } },
      { subresource: "status", force: true },
    );

    assert.deepEqual([status.status?.observedGeneration, status.spec.replicas], [7, 2]);
    assert.deepEqual([scale.spec?.replicas, scaled.spec?.replicas, patched.spec?.replicas], [2, 4, 5]);
    assert.deepEqual([applied.status?.observedGeneration, applied.spec.replicas], [8, 5]);
    await client.delete(Deployment, at("parts"));
  });

  it("sends dry runs, rejects unknown fields in strict mode, and passes on warnings otherwise", async () => {
    const odd = { ...configMap("odd"), colour: "red" };

    const tried = await client.create(ConfigMap, configMap("tried"), { dryRun: true });
    await assert.rejects(client.create(ConfigMap, odd, { fieldValidation: "Strict" }), BadRequestError);
    await client.create(ConfigMap, odd, { dryRun: true });

    assert.ok(tried.metadata.uid !== undefined);
    assert.equal(await client.get(ConfigMap, at("tried")), undefined);
    assert.deepEqual(
      warnings.filter((text) => text.includes("colour")),
      ['unknown field "colour"'],
    );
  });

  it("lists in pages, by selector, as metadata and as bytes", async () => {
    await Promise.all(
      Array.from({ length: 25 }, (_, n) =>
        client.create(ConfigMap, { ...configMap(`p${n}`), metadata: { ...at(`p${n}`), labels: { page: "yes" } } }),
      ),
    );
    const labelSelector = "page=yes";

    const pages: number[] = [];
    for await (const { items } of client.pages(ConfigMap, { namespace, labelSelector, limit: 10 })) {
      pages.push(items.length);
      assert.ok(items.every(({ kind, apiVersion }) => kind === "ConfigMap" && apiVersion === "v1"));
    }
    const names: string[] = [];
    for await (const { kind, metadata } of client.items(metadataOnly(ConfigMap), { namespace, labelSelector })) {
      assert.equal(kind, "PartialObjectMetadata");
      names.push(metadata.name ?? "");
    }
    const one = await client.list(ConfigMap, { namespace, fieldSelector: "metadata.name=p7" });
    const scanned: string[] = [];
    const scanner = new ListScanner((bytes, span) =>
      scanned.push(bytes.toString("utf8", span.nameStart, span.nameEnd)),
    );
    const { body } = await client.listBytes(ConfigMap, { namespace, labelSelector });
    for await (const piece of body) scanner.push(Buffer.from(piece));
    const head = scanner.finish();

    assert.deepEqual(pages, [10, 10, 5]);
    assert.equal(names.length, 25);
    assert.deepEqual(
      one.items.map(({ metadata }) => metadata.name),
      ["p7"],
    );
    assert.deepEqual(scanned.sort(), names.sort());
    assert.match(head.resourceVersion, /^\d+$/);
    await assert.rejects(client.list(ConfigMap, { namespace, labelSelector: "a in (" }), BadRequestError);
    await assert.rejects(client.list(ConfigMap, { namespace, fieldSelector: "data.a=1" }), BadRequestError);
  });

  it("deletes a collection by selector", async () => {
    const before = await client.list(ConfigMap, { namespace, labelSelector: "page=yes" });

    const deleted = await client.deleteCollection(ConfigMap, { namespace, labelSelector: "page=yes" });

    assert.deepEqual([before.items.length, deleted.length], [25, 25]);
    const left = await client.list(ConfigMap, { namespace });
    assert.ok(left.items.some(({ metadata }) => metadata.name === "applied"));
    assert.ok(left.items.every(({ metadata }) => metadata.labels?.["page"] === undefined));
  });

  it("watches from a resource version and from the current state", async () => {
    const { resourceVersion } = await client.list(Secret, { namespace });
    const seen: string[] = [];
    const watching = (async () => {
      for await (const event of client.watch(Secret, { namespace, resourceVersion })) {
        if (event.type === "BOOKMARK") continue;
        seen.push(`${event.type} ${event.object.metadata.name} ${event.object.stringData === undefined}`);
        if (event.type === "DELETED") return event.object.metadata.resourceVersion;
      }
      return undefined;
    })();

    const secret: Secret = { apiVersion: "v1", kind: "Secret", metadata: at("s"), stringData: { a: "1" } };
    await client.create(Secret, secret);
    await client.patch(Secret, at("s"), { merge: { stringData: { a: "2" } } });
    const before = await client.get(Secret, at("s"));
    await client.delete(Secret, at("s"));
    const deletedAt = await watching;

    assert.deepEqual(seen, ["ADDED s true", "MODIFIED s true", "DELETED s true"]);
    assert.ok(Number(deletedAt) > Number(before?.metadata.resourceVersion), "a deletion has its own resource version");

    const initial: string[] = [];
    for await (const event of client.watch(metadataOnly(ConfigMap), { namespace, sendInitialEvents: true })) {
      if (event.type === "BOOKMARK") {
        if (event.isEndOfInitialEvents) break;
        continue;
      }
      assert.equal(event.object.kind, "PartialObjectMetadata");
      initial.push(event.object.metadata.name ?? "");
    }
    assert.ok(initial.includes("applied"));
  });

  it("ends a watch without an error when the server ends it, and immediately when it is aborted", async () => {
    const controller = new AbortController();

    for await (const _ of client.watch(Secret, { namespace, timeoutSeconds: 1 }));
    const { lines } = await client.watchLines(Pod, { namespace, signal: controller.signal });
    const waiting = lines.next();
    controller.abort(new Error("enough"));

    await assert.rejects(waiting, /enough/);
  });

  it("reports an expired continue token and how to continue", async () => {
    if (cluster.isExternal) return;
    const first = await client.list(Namespace, { limit: 1 });
    const token = first.continue;
    assert.ok(token !== undefined);

    let error: unknown;
    for (let tries = 0; tries < 60 && error === undefined; tries += 1) {
      await client.apply(ConfigMap, { metadata: at("tick"), data: { n: String(tries) } });
      await systemClock.sleep(500);
      error = await client.list(Namespace, { limit: 1, continue: token }).then(
        () => undefined,
        (failure: unknown) => failure,
      );
    }
    const rest: string[] = [];
    const inconsistent =
      error instanceof ExpiredError && "inconsistentContinue" in error ? error.inconsistentContinue : "";
    for await (const { metadata } of client.items(Namespace, { limit: 1, continue: String(inconsistent) })) {
      rest.push(metadata.name ?? "");
    }

    assert.ok(error instanceof ExpiredError, String(error));
    assert.ok(rest.includes("kube-system"), "the list continues with a newer state");
  });

  it("reviews its own identity and permissions, and rejects with ForbiddenError when a permission is missing", async () => {
    const connection = await loadConnection({ file: cluster.kubeconfigPath });
    const impersonate = { user: "jane", uid: undefined, groups: ["dev", "system:authenticated"], extra: new Map() };
    using jane = createClient({ ...connection, impersonate });

    const own = await client.reviewOwnAccess({ verb: "delete", type: Pod, namespace });
    const janesReview = await jane.reviewOwnAccess({ verb: "delete", type: Pod, namespace });
    const about = await client.reviewAccess({ user: "jane", groups: ["system:masters"] }, { verb: "get", type: Pod });
    const path = await client.reviewAccess({ user: "jane", groups: ["dev"] }, { verb: "get", path: "/metrics" });

    assert.deepEqual(
      [own.isAllowed, janesReview.isAllowed, about.isAllowed, path.isAllowed],
      [true, false, true, false],
    );
    await assert.rejects(
      jane.list(Secret, { namespace }),
      (error) => error instanceof ForbiddenError && /User "jane" cannot list/.test(error.serverMessage),
    );
  });

  it("authenticates by token, and rejects with an error when the token is invalid", async () => {
    await client.create(ServiceAccount, { apiVersion: "v1", kind: "ServiceAccount", metadata: at("robot") });
    const response = await client.raw({
      method: "POST",
      path: `/api/v1/namespaces/${namespace}/serviceaccounts/robot/token`,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} }),
    });
    const pieces: Uint8Array[] = [];
    for await (const piece of response.body) pieces.push(piece);
    const { status } = JSON.parse(Buffer.concat(pieces).toString()) as { status: { token: string } };
    const connection = await loadConnection({ file: cluster.kubeconfigPath });
    const as = (token: string): Client => createClient({ ...connection, identity: { token: { data: token } } });
    using robot = as(status.token);
    using invalid = as("nonsense");

    await assert.rejects(robot.list(Pod, { namespace }), /system:serviceaccount:.*:robot" cannot list/);
    await assert.rejects(invalid.list(Pod, { namespace }), UnauthorizedError);
  });

  it("sets an audit ID on its requests", async () => {
    using marked = await Client.fromKubeconfig({ file: cluster.kubeconfigPath, correlationId: () => "reconcile-7" });

    const { headers, body } = await marked.raw({ method: "GET", path: "/version" });
    body.cancel();

    assert.equal(headers["audit-id"], "reconcile-7");
  });

  it("evicts a pod only when its disruption budget allows it, without retries", async () => {
    const labels = { app: "evicted" };
    const pod: Pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { ...at("evicted"), labels },
      spec: { containers: [{ name: "main", image: "busybox" }], automountServiceAccountToken: false },
    };
    await client.apply(ServiceAccount, { metadata: at("default") });
    await client.create(Pod, pod);
    const made = await client.get(Pod, at("evicted"));
    assert.ok(made !== undefined);
    // Pods that do not run are not protected; only this test writes the status of the pod.
    const status = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } as const;
    await client.patch(Pod, at("evicted"), { strategic: { status } }, { subresource: "status" });
    await client.create(PodDisruptionBudget, {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: at("budget"),
      spec: { minAvailable: 1, selector: { matchLabels: labels } },
    });
    const started = systemClock.monotonic();

    await assert.rejects(
      client.evict(at("evicted")),
      (error) => error instanceof TooManyRequestsError && error.causes[0]?.reason === "DisruptionBudget",
    );
    assert.ok(systemClock.monotonic() - started < 5000, "the client does not wait for the Retry-After of ten seconds");
    await client.delete(PodDisruptionBudget, at("budget"));
    assert.equal(await client.evict(at("evicted"), { gracePeriodSeconds: 0 }), true);
    assert.equal(await client.evict(at("never-there")), false);
  });

  it("uses a kind right after its CRD was installed", async () => {
    interface Widget extends KubeObject {
      apiVersion: "client-suite.example/v1";
      kind: "Widget";
      spec: { size: number };
      status?: { phase?: string };
    }
    const Widget: ResourceType<Widget> = {
      group: "client-suite.example",
      version: "v1",
      kind: "Widget",
      plural: "widgets",
      scope: "Namespaced",
    };
    const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true } as const;
    await client.create(CustomResourceDefinition, {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "widgets.client-suite.example" },
      spec: {
        group: Widget.group,
        scope: "Namespaced",
        names: { kind: "Widget", plural: "widgets", singular: "widget", shortNames: ["wdg"] },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            subresources: { status: {} },
            schema: { openAPIV3Schema: { type: "object", properties: { spec: open, status: open } } },
          },
        ],
      },
    });

    let found = await client.mapper.byName("wdg");
    for (let tries = 0; tries < 50 && found === undefined; tries += 1) {
      await systemClock.sleep(200);
      found = await client.mapper.byName("wdg");
    }
    assert.ok(found !== undefined);
    const made = await client.apply(Widget, { metadata: at("w"), spec: { size: 1 } });
    await client.apply(Widget, { metadata: at("w"), status: { phase: "Ready" } }, { subresource: "status" });
    const untyped = await client.get(found, at("w"));
    const list = await client.list(Widget, { namespace });

    assert.equal(made.spec.size, 1);
    assert.deepEqual(untyped?.["status"], { phase: "Ready" });
    assert.equal(list.items[0]?.kind, "Widget");
    await assert.rejects(
      client.update(Widget, { ...made, metadata: at("w") }),
      (error) => error instanceof InvalidError && error.causes[0]?.field === "metadata.resourceVersion",
    );
    await assert.rejects(async () => {
      // The server has watched this kind only since the CRD was installed.
      for await (const _ of client.watch(Widget, { resourceVersion: "1", timeoutSeconds: 5 }));
    }, ExpiredError);
    await client.delete(CustomResourceDefinition, { name: "widgets.client-suite.example" });
  });
});
