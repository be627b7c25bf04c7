// The sandbox operator on a real API server with the real controllers. Pods are not started: the suite reports them as ready.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Client } from "@homeostat/client";
import { ApiError, isEqual, NotFoundError, type KubeObject, type ResourceType } from "@homeostat/core";
import type { RealCluster } from "@homeostat/kube";
import { Deployment, ReplicaSet } from "@homeostat/kubernetes/apps/v1";
import { ConfigMap, Namespace, Pod, Service } from "@homeostat/kubernetes/core/v1";
import { configMapName, labels, RouteGroup, RouteTable, Sandbox } from "@homeostat/sandbox-operator";
import { deriveFork, isRefusal, kinds } from "@homeostat/sandbox-operator/internal";
import { forkCases, forkInput, type SchemaCase, schemaCases, updateCases } from "@homeostat/sandbox-operator/testing";
import { installKind } from "../../../harness/install-kind.ts";
import { OperatorProcess } from "../../../harness/operator-process.ts";
import { reasonToSkipOwnCluster, startOwnCluster } from "../../../harness/own-cluster.ts";
import { FaultyOperator } from "./faulty-operator.ts";

const skip = (await reasonToSkipOwnCluster("control-plane")) ?? false;
const namespace = "shop";
const patienceMs = 60_000;

describe("sandboxes on a real control plane", { skip, timeout: 600_000 }, () => {
  let cluster: RealCluster;
  let client: Client;
  let operator: OperatorProcess | undefined;
  const stop = new AbortController();
  let kubelet: Promise<void>;

  before(async () => {
    cluster = await startOwnCluster("control-plane");
    client = await Client.fromKubeconfig({ file: cluster.kubeconfigPath, defaults: { fieldManager: "a-user" } });
    for (const kind of Object.values(kinds)) await installKind(client, kind.crd());
    for (const name of [namespace, "sandbox-system", "schema"]) {
      const marks = name === namespace ? { [labels.enabled]: "true" } : {};
      await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name, labels: marks } });
    }
    kubelet = reportPodsReady(client, stop.signal);
  });
  after(async () => {
    await operator?.stop();
    stop.abort();
    await kubelet;
    client.close();
    await cluster.stop();
  });

  const objectOf = ({ kind, name = "a", spec }: Pick<SchemaCase, "kind" | "name" | "spec">): KubeObject => {
    const { group, version } = kinds[kind];
    const object = { apiVersion: `${group}/${version}`, kind, metadata: { name, namespace: "schema" }, spec };
    return object;
  };
  const typeOf = (kind: SchemaCase["kind"]): ResourceType => kinds[kind];
  const until = async <T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> => {
    const end = Date.now() + patienceMs;
    for (;;) {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      assert.ok(Date.now() < end, `timed out waiting for ${what}\n${operator?.log ?? ""}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };

  it("accepts and refuses the objects of the schema tables", async () => {
    const wrong: string[] = [];
    for (const { refused, title, ...each } of schemaCases) {
      const outcome = await attempt(() =>
        client.create(typeOf(each.kind), objectOf(each), { dryRun: true, fieldValidation: "Strict" }),
      );
      if (!isExpected(outcome, refused)) wrong.push(`${each.kind} that ${title}: ${outcome ?? "accepted"}`);
    }

    assert.deepEqual(wrong, []);
  });

  it("accepts and refuses the changes of the schema tables", async () => {
    const wrong: string[] = [];
    for (const [index, { kind, title, before: first, after: second, refused }] of updateCases.entries()) {
      const name = `update-${index}`;
      const created = await client.create(typeOf(kind), objectOf({ kind, name, spec: first }));
      const { metadata } = created;
      const changed = { ...objectOf({ kind, name, spec: second }), metadata };
      const outcome = await attempt(() => client.update(typeOf(kind), changed));
      if (!isExpected(outcome, refused)) wrong.push(`${kind} that ${title}: ${outcome ?? "accepted"}`);
      await client.delete(typeOf(kind), { namespace: "schema", name });
    }

    assert.deepEqual(wrong, []);
  });

  it("accepts all derived forks", async () => {
    const [first] = Object.values(forkCases);
    assert.ok(first !== undefined);
    const home = forkInput(first).baseline.namespace;
    if ((await client.get(Namespace, { name: home })) === undefined) {
      await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: home } });
    }
    for (const [name, each] of Object.entries(forkCases)) {
      const fork = deriveFork(forkInput(each));
      assert.ok(!isRefusal(fork), name);
      await client.apply(Deployment, fork.deployment, { fieldManager: "sandbox-operator", dryRun: true });
      for (const { service } of fork.services.services) {
        await client.apply(Service, service, { fieldManager: "sandbox-operator", dryRun: true });
      }
    }
  });

  it("runs a sandbox from its creation to its deletion, with the operator killed in between", async () => {
    const flags = ["--namespace", "sandbox-system", "--webhooks=false"];
    operator = new OperatorProcess({ operator: "sandbox", kubeconfigPath: cluster.kubeconfigPath, flags });
    await createBaseline(client, "cart");
    const { metadata } = await client.create(Sandbox, {
      apiVersion: "sandbox.example.com/v1alpha1",
      kind: "Sandbox",
      metadata: { name: "pr-42", namespace, labels: { feature: "checkout-v2" } },
      spec: {
        services: [{ name: "cart", targetRef: { name: "cart" }, containers: [{ name: "app", image: "cart:pr-42" }] }],
      },
    });
    await client.create(RouteGroup, {
      apiVersion: "sandbox.example.com/v1alpha1",
      kind: "RouteGroup",
      metadata: { name: "checkout", namespace },
      spec: { match: { label: { key: "feature", value: "checkout-*" } } },
    });

    const sandbox = await until("Running", async () => {
      const found = await client.get(Sandbox, { namespace, name: "pr-42" });
      return found?.status?.phase === "Running" && found;
    });
    const table = await until("routes of sandbox and group", async () => {
      const found = await client.get(RouteTable, { namespace, name: "cart" });
      return found?.spec.entries.length === 2 && found;
    });

    assert.ok(table.spec.entries.some(({ routingKey }) => routingKey === sandbox.status?.routingKey));
    await operator.killAndRestart();
    await client.delete(Sandbox, { namespace, name: "pr-42" });
    await until("the deletion", async () => (await client.get(Sandbox, { namespace, name: "pr-42" })) === undefined);
    await until("an empty namespace", async () => (await leftovers(client, metadata.uid ?? "")).length === 0);
    await until("no table", async () => (await client.get(RouteTable, { namespace, name: "cart" })) === undefined);
  });

  it("reconciles exactly the sandboxes that a changed group matched before and matches now", async () => {
    for (const name of ["left", "right", "other"]) {
      await client.create(Sandbox, {
        apiVersion: "sandbox.example.com/v1alpha1",
        kind: "Sandbox",
        metadata: { name, namespace, labels: { side: name } },
        spec: {},
      });
    }
    const groupsOf = async (name: string): Promise<readonly string[]> =>
      (await client.get(Sandbox, { namespace, name }))?.status?.routeGroups ?? [];
    await client.create(RouteGroup, {
      apiVersion: "sandbox.example.com/v1alpha1",
      kind: "RouteGroup",
      metadata: { name: "sides", namespace },
      spec: { match: { label: { key: "side", value: "left" } } },
    });
    await until("the left one", async () => (await groupsOf("left")).includes("sides"));
    const running = async () => {
      const found = await client.get(Sandbox, { namespace, name: "other" });
      return found?.status?.phase === "Running" && found;
    };
    const before = await until("the other one", running);

    const merge = { spec: { match: { label: { key: "side", value: "right" } } } };
    await client.patch(RouteGroup, { namespace, name: "sides" }, { merge });
    await until("the right one", async () => (await groupsOf("right")).includes("sides"));
    await until("no left one", async () => (await groupsOf("left")).length === 0);

    const { metadata } = await until("the other one", running);
    assert.equal(metadata.resourceVersion, before.metadata.resourceVersion);
    await client.delete(RouteGroup, { namespace, name: "sides" });
    for (const name of ["left", "right", "other"]) await client.delete(Sandbox, { namespace, name });
  });

  it("reaches one state with two processes that both reconcile", async () => {
    const flags = ["--namespace", "sandbox-system", "--webhooks=false", "--leader-elect=false"];
    const start = () => new OperatorProcess({ operator: "sandbox", kubeconfigPath: cluster.kubeconfigPath, flags });
    await operator?.stop();
    operator = start();
    const rival = start();
    try {
      const { metadata } = await client.create(Sandbox, {
        apiVersion: "sandbox.example.com/v1alpha1",
        kind: "Sandbox",
        metadata: { name: "raced", namespace },
        spec: { services: [{ name: "cart", targetRef: { name: "cart" } }] },
      });
      const sandbox = await until("Running", async () => {
        const found = await client.get(Sandbox, { namespace, name: "raced" });
        return found?.status?.phase === "Running" && found;
      });
      const labelSelector = `${labels.sandboxUid}=${metadata.uid ?? ""}`;
      assert.equal((await client.list(Deployment, { namespace, labelSelector })).items.length, 1);
      const table = await until("a route", async () => client.get(RouteTable, { namespace, name: "cart" }));
      assert.deepEqual(
        table.spec.entries.map(({ routingKey }) => routingKey),
        [sandbox.status?.routingKey],
      );

      await client.delete(Sandbox, { namespace, name: "raced" });
      await until("the deletion", async () => (await client.get(Sandbox, { namespace, name: "raced" })) === undefined);
      await until("an empty namespace", async () => (await leftovers(client, metadata.uid ?? "")).length === 0);
    } finally {
      await rival.stop();
    }
  });

  it("reaches the same state while the API server throttles requests and a user changes the sandbox", async () => {
    await operator?.stop();
    operator = undefined;
    const key = { namespace, name: "throttled" };
    const phases = new Set<string>();
    let [sent, throttled, refusedForks] = [0, 0, 0];
    await using _ = await FaultyOperator.start({
      kubeconfigPath: cluster.kubeconfigPath,
      throttle: ({ method, path }) => {
        if (path.includes("watch=")) return undefined;
        const isFork = method === "POST" && path.includes("/deployments");
        sent += 1;
        if (isFork && refusedForks === 0) refusedForks = 1;
        else if (sent % 3 !== 0) return undefined;
        throttled += 1;
        return isFork ? "final" : "retry";
      },
    });
    const { metadata } = await client.create(Sandbox, {
      apiVersion: "sandbox.example.com/v1alpha1",
      kind: "Sandbox",
      metadata: key,
      spec: { services: [{ name: "cart", targetRef: { name: "cart" } }] },
    });

    const sandbox = await until("Running", async () => {
      // Each change makes the writes of the operator that are based on the state before conflict.
      const merge = { metadata: { labels: { change: String(sent) } } };
      const { status } = await client.patch(Sandbox, key, { merge });
      phases.add(status?.phase ?? "");
      return status?.phase === "Running" && status;
    });
    const table = await until("a route", async () => client.get(RouteTable, { namespace, name: "cart" }));
    assert.deepEqual(
      table.spec.entries.map(({ routingKey }) => routingKey),
      [sandbox.routingKey],
    );
    await client.delete(Sandbox, key);
    await until("the deletion", async () => (await client.get(Sandbox, key)) === undefined);
    await until("an empty namespace", async () => (await leftovers(client, metadata.uid ?? "")).length === 0);

    assert.ok(!phases.has("Failed"), [...phases].join());
    assert.ok(refusedForks === 1 && throttled >= 10, `${throttled} requests were throttled`);
  });

  it("deletes sandboxes whose lifetime has ended, but not one that is extended in the last moment", async () => {
    const { kubeconfigPath } = cluster;
    const hourMs = 3_600_000;
    const keyOf = (name: string) => ({ namespace, name });
    const read = async (name: string) => client.get(Sandbox, keyOf(name));
    const isExpiring = async (name: string) =>
      (await read(name))?.status?.conditions?.find(({ type }) => type === "Expiring")?.status;
    let uid = "";
    for (const name of ["ended", "extended"]) {
      const { metadata } = await client.create(Sandbox, {
        apiVersion: "sandbox.example.com/v1alpha1",
        kind: "Sandbox",
        metadata: keyOf(name),
        spec: { ttl: "1h", services: name === "ended" ? [{ name: "cart", targetRef: { name: "cart" } }] : [] },
      });
      if (name === "ended") uid = metadata.uid ?? "";
    }
    {
      await using _ = await FaultyOperator.start({ kubeconfigPath });
      await until("Running", async () => (await read("ended"))?.status?.phase === "Running");
      assert.equal(await isExpiring("ended"), "False");
    }
    {
      await using _ = await FaultyOperator.start({ kubeconfigPath, aheadMs: hourMs - 300_000 });
      for (const name of ["ended", "extended"]) {
        await until(`the warning of ${name}`, async () => (await isExpiring(name)) === "True");
      }
    }

    const deletions: number[] = [];
    {
      const isDeletion = ({ method, path }: { readonly method: string; readonly path: string }): boolean =>
        method === "DELETE" && path.includes("/sandboxes/extended");
      let isExtended = false;
      await using _ = await FaultyOperator.start({
        kubeconfigPath,
        aheadMs: hourMs + 100_000,
        async beforeSend(request) {
          if (!isDeletion(request) || isExtended) return;
          isExtended = true;
          await client.patch(Sandbox, keyOf("extended"), { merge: { spec: { ttl: "2h" } } });
        },
        onResponse: (request, { status }) => void (isDeletion(request) && deletions.push(status)),
      });
      await until("the end of the lifetime", async () => (await read("ended")) === undefined);
      await until("the extension", async () => (await isExpiring("extended")) === "False");
      await until("an empty namespace", async () => (await leftovers(client, uid)).length === 0);
      await client.delete(Sandbox, keyOf("extended"));
      await until("the deletion", async () => (await read("extended")) === undefined);
    }

    assert.deepEqual(deletions, [409]);
  });

  it("keeps a sandbox as long as requests are routed to it, if its lifetime counts from the last one", async () => {
    const { kubeconfigPath } = cluster;
    const minuteMs = 60_000;
    const key = { namespace, name: "active" };
    const read = async () => client.get(Sandbox, key);
    const created = await client.create(Sandbox, {
      apiVersion: "sandbox.example.com/v1alpha1",
      kind: "Sandbox",
      metadata: key,
      spec: { ttl: "1h", ttlFrom: "LastActivity", services: [{ name: "cart", targetRef: { name: "cart" } }] },
    });
    const uid = created.metadata.uid ?? "";
    const createdAt = Date.parse(created.metadata.creationTimestamp ?? "");
    {
      await using _ = await FaultyOperator.start({ kubeconfigPath });
      await until("Running", async () => (await read())?.status?.phase === "Running");
      assert.equal(Date.parse((await read())?.status?.expiresAt ?? ""), createdAt + 60 * minuteMs);
    }

    // The route server reports the last request in the status of the table.
    const lastRequest = new Date(createdAt + 50 * minuteMs).toISOString().replace(/\.\d+Z$/, "Z");
    const reported = { merge: { status: { activity: { [uid]: lastRequest } } } };
    await client.patch(RouteTable, { namespace, name: "cart" }, reported, { subresource: "status" });
    {
      await using _ = await FaultyOperator.start({ kubeconfigPath, aheadMs: 65 * minuteMs });
      await until("the recorded request", async () => (await read())?.status?.lastActivityTime === lastRequest);
      const { status, metadata } = (await read()) ?? {};
      assert.equal(Date.parse(status?.expiresAt ?? ""), createdAt + 110 * minuteMs);
      assert.equal(metadata?.deletionTimestamp, undefined);
    }
    {
      await using _ = await FaultyOperator.start({ kubeconfigPath, aheadMs: 112 * minuteMs });
      await until("the end of the lifetime", async () => (await read()) === undefined);
      await until("an empty namespace", async () => (await leftovers(client, uid)).length === 0);
    }
  });

  it("scales forks to zero without requests, and starts them when a request arrives", async () => {
    const { kubeconfigPath } = cluster;
    const minuteMs = 60_000;
    const key = { namespace, name: "sleepy" };
    const read = async () => client.get(Sandbox, key);
    const created = await client.create(Sandbox, {
      apiVersion: "sandbox.example.com/v1alpha1",
      kind: "Sandbox",
      metadata: key,
      spec: { idle: { sleepAfterSeconds: 600 }, services: [{ name: "cart", targetRef: { name: "cart" } }] },
    });
    const uid = created.metadata.uid ?? "";
    const createdAt = Date.parse(created.metadata.creationTimestamp ?? "");
    const replicas = async (): Promise<number | undefined> => {
      const name = (await read())?.status?.services?.[0]?.forkName ?? "";
      return (await client.get(Deployment, { namespace, name }))?.spec?.replicas;
    };
    {
      await using _ = await FaultyOperator.start({ kubeconfigPath });
      await until("Running", async () => (await read())?.status?.phase === "Running");
      assert.equal(await replicas(), 1);
    }

    {
      await using _ = await FaultyOperator.start({ kubeconfigPath, aheadMs: 15 * minuteMs });
      await until("the sleep", async () => (await replicas()) === 0);
      await until("Idle", async () => (await read())?.status?.services?.[0]?.status === "Idle");
      assert.equal((await read())?.status?.phase, "Running");

      const request = new Date(createdAt + 15 * minuteMs).toISOString().replace(/\.\d+Z$/, "Z");
      const reported = { merge: { status: { activity: { [uid]: request } } } };
      await client.patch(RouteTable, { namespace, name: "cart" }, reported, { subresource: "status" });
      await until("the start", async () => (await replicas()) === 1);
      await client.delete(Sandbox, key);
      await until("the deletion", async () => (await read()) === undefined);
    }
  });

  it("takes a Service over and releases it, each by one write", async () => {
    const flags = ["--namespace", "sandbox-system", "--webhooks=false"];
    await client.create(ConfigMap, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: configMapName, namespace: "sandbox-system" },
      data: { "config.yaml": "takeover: {linger: 1}\n" },
    });
    operator = new OperatorProcess({ operator: "sandbox", kubeconfigPath: cluster.kubeconfigPath, flags });
    await createBaseline(client, "orders");
    await client.patch(
      Service,
      { namespace, name: "orders" },
      { merge: { metadata: { annotations: { "sandbox.example.com/interception": "Takeover" } } } },
    );
    const { resourceVersion } = await client.list(Service, { namespace });
    const watching = new AbortController();
    const states = statesOf(client, { name: "orders", resourceVersion, signal: watching.signal });
    await client.create(Sandbox, {
      apiVersion: "sandbox.example.com/v1alpha1",
      kind: "Sandbox",
      metadata: { name: "pr-43", namespace },
      spec: {
        services: [{ name: "orders", targetRef: { name: "orders" }, containers: [{ name: "app", image: "orders:2" }] }],
      },
    });
    const proxySelector = { "sandbox.example.com/proxy": "true" };
    const selectorIs = async (selector: object): Promise<boolean> =>
      isEqual((await client.get(Service, { namespace, name: "orders" }))?.spec?.selector, selector);

    await until("the takeover", async () => {
      await confirmTable(client, "orders");
      return selectorIs(proxySelector);
    });
    await client.delete(Sandbox, { namespace, name: "pr-43" });
    await until("the release", async () => {
      await confirmTable(client, "orders");
      return selectorIs({ app: "orders" });
    });
    watching.abort();

    assert.deepEqual(await states, [
      JSON.stringify([proxySelector, [21_000], true]),
      JSON.stringify([{ app: "orders" }, ["http"], false]),
    ]);
  });
});

/** Returns all states of a Service that a watch reports: selector, target ports, and whether the original is recorded. */
async function statesOf(
  client: Client,
  {
    name,
    resourceVersion,
    signal,
  }: { readonly name: string; readonly resourceVersion: string; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const states: string[] = [];
  try {
    for await (const event of client.watch(Service, { namespace, resourceVersion, signal })) {
      if (event.type === "BOOKMARK" || event.object.metadata.name !== name) continue;
      const { metadata, spec } = event.object;
      const isRecorded = metadata.annotations?.["sandbox.example.com/original"] !== undefined;
      states.push(JSON.stringify([spec?.selector, spec?.ports?.map(({ targetPort }) => targetPort), isRecorded]));
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return states;
}

/** Confirms a table as the route server does when all ready proxies have confirmed it. */
async function confirmTable(client: Client, name: string): Promise<void> {
  const table = await client.get(RouteTable, { namespace, name });
  const proxy = await client.get(Deployment, { namespace, name: "sandbox-proxy" });
  const total = proxy?.status?.readyReplicas ?? 0;
  const known = table?.status?.replicas?.[0];
  if (table === undefined || (known?.version === table.spec.version && known.total === total)) return;
  const replicas = [{ name: "route-server-0", version: table.spec.version, total, synced: total }];
  await client.patch(RouteTable, { namespace, name }, { merge: { status: { replicas } } }, { subresource: "status" });
}

/** Returns the message of a refusal; undefined if the request succeeded. */
async function attempt(send: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await send();
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}

function isExpected(outcome: string | undefined, refused: string | undefined): boolean {
  return refused === undefined ? outcome === undefined : outcome?.includes(refused) === true;
}

async function createBaseline(client: Client, name: string): Promise<void> {
  const app = { app: name };
  const containers = [{ name: "app", image: `${name}:1`, ports: [{ name: "http", containerPort: 8080 }] }];
  await client.create(Deployment, {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace },
    spec: { selector: { matchLabels: app }, template: { metadata: { labels: app }, spec: { containers } } },
  });
  await client.create(Service, {
    apiVersion: "v1",
    kind: "Service",
    // No proxy runs here that could confirm routes.
    metadata: { name, namespace, annotations: { "sandbox.example.com/interception": "None" } },
    spec: { selector: app, ports: [{ port: 80, targetPort: "http" }] },
  });
}

async function leftovers(client: Client, uid: string): Promise<readonly string[]> {
  const labelSelector = `${labels.sandboxUid}=${uid}`;
  const found: string[] = [];
  const types: readonly ResourceType[] = [Deployment, ReplicaSet, Service, Pod];
  for (const type of types) {
    const { items } = await client.list(type, { labelSelector });
    found.push(...items.map(({ metadata }) => `${type.kind} ${metadata.name}`));
  }
  return found;
}

/** Patches the status of a pod, which may be gone by now. */
async function patchIfPresent(client: Client, key: { namespace: string; name: string }, merge: object): Promise<void> {
  try {
    await client.patch(Pod, key, { merge }, { subresource: "status" });
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
}

/** Reports every pod as running and ready, as a kubelet does, until the signal aborts. */
async function reportPodsReady(client: Client, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { items } = await client.list(Pod, { namespace });
    for (const { metadata, status } of items) {
      const key = { namespace, name: metadata.name ?? "" };
      // No node runs the pod, so nothing else ends its deletion.
      if (metadata.deletionTimestamp !== undefined) await client.delete(Pod, key, { gracePeriodSeconds: 0 });
      else if (status?.phase !== "Running") {
        const conditions = [{ type: "Ready", status: "True" }];
        const merge = { status: { phase: "Running", conditions } };
        await patchIfPresent(client, key, merge);
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
