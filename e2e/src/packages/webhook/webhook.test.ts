// Webhooks called by a real kube-apiserver: conversion, warnings and denials, and certificate rotation under load.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { systemClock } from "@homeostat/core";
import type { RealCluster } from "@homeostat/kube";
import { defineConversion, defineResource, s } from "@homeostat/schema";
import {
  CertificateKeeper,
  clientConfig,
  validatingWebhook,
  webhookManifests,
  WebhookServer,
} from "@homeostat/webhook";
import { reasonToSkip, startCluster } from "../../harness/cluster.ts";
import { volume } from "../../harness/volume.ts";
import { bundleAt, secretStore, send } from "../../harness/certificate-ports.ts";

const Order = defineResource({
  group: "webhook.e2e.example.com",
  kind: "Order",
  versions: {
    v1: { spec: { count: s.int() } },
    v2: {
      storage: true,
      spec: { amount: s.object({ count: s.int(), unit: s.string().default("piece") }), note: s.string().optional() },
    },
  },
});
const conversion = defineConversion(Order, {
  hub: "v2",
  spokes: {
    v1: {
      toHub: ({ spec }) => ({ spec: { amount: { count: spec.count } } }),
      fromHub: ({ spec }) => ({ spec: { count: spec.amount.count } }),
    },
  },
});
const gate = validatingWebhook({
  for: Order.versions.v2,
  *validate({ spec }, old) {
    if (old !== undefined && old.spec.amount.unit !== spec.amount.unit) {
      yield { field: "spec.amount.unit", message: "cannot be changed", reason: "FieldValueForbidden" };
    }
    if (spec.amount.count < 0) yield { field: "spec.amount.count", message: "is negative" };
    if (spec.amount.count > 100) yield { field: "spec.amount.count", message: "is a lot", warn: true };
    if (spec.note === "throw") throw new Error("secret words");
  },
});

const crdPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const configurationPath = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
const orders = (version: string): string => `/apis/${Order.group}/${version}/namespaces/default/orders`;

// The CA is rotated every 24 s, the serving certificate every 8 s. A renewal that is 4 s late fails, so this file runs alone, after
// the other suites (`quiet` in e2e/budgets.json).
const policy = {
  hosts: ["127.0.0.1"],
  authorityLifeMs: 36_000,
  servingLifeMs: 12_000,
  propagationMs: 4_000,
  backdateMs: 0,
};

/** One of two replicas of an operator, both in this process. */
interface Replica {
  readonly server: WebhookServer;
  readonly port: number;
  readonly running: Promise<void>;
}

/** Rotations of the serving certificate, each by both replicas. The CA is rotated every third time. */
const rotations = volume({ sample: 4, full: 20 });
const authorities = Math.max(1, Math.floor(rotations / 6));

const counts = { served: 0, promoted: 0, panicked: 0 };
const problems: unknown[] = [];

async function startReplica(cluster: RealCluster, signal: AbortSignal): Promise<Replica> {
  const server = new WebhookServer({
    webhooks: [gate],
    conversions: [conversion],
    // New connections all the time, because every TLS handshake checks the certificate.
    requestsPerConnectionMax: 5,
    observer: { panicked: () => (counts.panicked += 1) },
  });
  const keeper = new CertificateKeeper({
    secret: secretStore(cluster, "webhook-certificates"),
    targets: [bundleAt(cluster, `${crdPath}/orders.${Order.group}`), bundleAt(cluster, `${configurationPath}/orders`)],
    policy,
    pollMs: 200,
    serve: (pair) => {
      counts.served += 1;
      server.reload(pair);
    },
    onStep: (step) => (counts.promoted += step === "promote" ? 1 : 0),
    onProblem: (error) => problems.push(error),
  });
  const certificate = await keeper.sync();
  const { port } = await server.listen({ certificate, port: 0, host: "127.0.0.1" });
  return { server, port, running: keeper.run(signal) };
}

describe("webhooks on a real API server", { skip: (await reasonToSkip({ need: "apiserver" })) ?? false }, () => {
  let cluster: RealCluster;
  let replicas: readonly Replica[] = [];
  const stop = new AbortController();

  before(async () => {
    cluster = await startCluster({ need: "apiserver" });
    const [one, two] = await Promise.all([startReplica(cluster, stop.signal), startReplica(cluster, stop.signal)]);
    replicas = [one, two];
    const crd = Order.crd({ conversionWebhook: clientConfig({ url: `https://127.0.0.1:${one.port}` }, "/convert") });
    await send(cluster, { method: "POST", path: crdPath, body: crd });
    const { validating } = webhookManifests({
      name: "orders",
      webhooks: [gate],
      location: { url: `https://127.0.0.1:${two.port}` },
      ownNamespace: "orders-system",
    });
    await send(cluster, { method: "POST", path: configurationPath, body: validating });
    await until(async () => (await create("v1", "first", { count: 1 })).status === 201);
    await until(async () => (await create("v2", "probe", { amount: { count: -1 } })).status === 422);
  });

  after(async () => {
    stop.abort();
    await Promise.all(replicas.map(({ running }) => running));
    await Promise.all(replicas.map(({ server }) => server.stop({ graceMs: 1_000 })));
    await cluster.stop();
  });

  const create = (version: string, name: string, spec: object, query = "") =>
    cluster.request({
      method: "POST",
      path: `${orders(version)}${query}`,
      body: { apiVersion: `${Order.group}/${version}`, kind: "Order", metadata: { name }, spec },
    });

  it("convert between versions, and keep fields that one version does not have", async () => {
    await create("v2", "rich", { amount: { count: 2, unit: "box" }, note: "kept" });

    const old = await send(cluster, { path: `${orders("v1")}/rich` });
    const changed = { ...old, spec: { count: 3 } };
    await send(cluster, { method: "PUT", path: `${orders("v1")}/rich`, body: changed });
    const recent = await send(cluster, { path: `${orders("v2")}/rich` });
    const list = await send(cluster, { path: orders("v1") });

    assert.deepEqual(old?.["spec"], { count: 2 });
    assert.deepEqual(recent?.["spec"], { amount: { count: 3, unit: "box" }, note: "kept" });
    assert.deepEqual(
      (list as { items: { apiVersion: string; spec: unknown }[] }).items.map(({ apiVersion, spec }) => [
        apiVersion,
        spec,
      ]),
      [
        [`${Order.group}/v1`, { count: 1 }],
        [`${Order.group}/v1`, { count: 3 }],
      ],
    );
  });

  it("warn, deny with every cause, and do not reveal exceptions", async () => {
    const warned = await create("v1", "many", { count: 500 });
    const refused = await create("v1", "negative", { count: -5 });
    const failed = await create("v2", "failing", { amount: { count: 1 }, note: "throw" });

    assert.equal(warned.status, 201);
    assert.deepEqual(warned.warnings, ['299 - "spec.amount.count: is a lot"']);
    assert.equal(refused.status, 422);
    const { message, reason, details } = refused.body as {
      message: string;
      reason: string;
      details: { causes: unknown };
    };
    assert.match(message, /^admission webhook ".*" denied the request: spec\.amount\.count: is negative$/);
    assert.equal(reason, "Invalid");
    assert.deepEqual(details.causes, [
      { reason: "FieldValueInvalid", message: "is negative", field: "spec.amount.count" },
    ]);
    assert.equal(failed.status, 500);
    assert.doesNotMatch(failed.text, /secret words/);
    assert.equal(counts.panicked, 1);
  });

  it(`rotate their certificates ${rotations} times under load, with no failed call`, { timeout: 360_000 }, async () => {
    const start = { ...counts };
    const deadline = systemClock.monotonic() + 300_000;
    const failures: string[] = [];
    let calls = 0;
    const isDone = (): boolean => counts.served - start.served >= 2 * rotations || systemClock.monotonic() > deadline;
    const worker = async (call: () => Promise<{ status: number; text: string }>): Promise<void> => {
      while (!isDone()) {
        const { status, text } = await withRetries(call);
        if (status !== 200 && status !== 201) failures.push(`${status} ${text}`);
        calls += 1;
        await systemClock.sleep(50);
      }
    };

    await Promise.all([
      worker(() => cluster.request({ path: `${orders("v1")}/first` })),
      worker(() => cluster.request({ path: orders("v1") })),
      worker(() => create("v2", "dry", { amount: { count: 1 } }, "?dryRun=All")),
      worker(() => create("v1", "dry", { count: 1 }, "?dryRun=All")),
    ]);

    assert.deepEqual(failures, []);
    assert.deepEqual(problems, []);
    // Each certificate is served by two replicas.
    assert.ok(
      counts.served - start.served >= 2 * rotations,
      `${counts.served - start.served} changes of a certificate`,
    );
    assert.ok(counts.promoted - start.promoted >= authorities, `${counts.promoted - start.promoted} authorities`);
    assert.ok(calls > 25 * rotations, `${calls} calls`);
  });
});

/**
 * Sends a request and retries when the API server asks for it, like every client.
 *
 * The API server recreates the storage of a resource after each change of its CRD, such as a new caBundle; meanwhile it responds
 * with 429 and a Retry-After. No webhook is called then.
 */
async function withRetries(call: () => Promise<{ status: number; text: string }>) {
  let response = await call();
  for (let tries = 0; tries < 5 && response.status === 429 && response.text.includes("storage is (re)"); tries += 1) {
    await systemClock.sleep(1_000);
    response = await call();
  }
  return response;
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = systemClock.monotonic() + 30_000;
  while (!(await isTrue())) {
    assert.ok(systemClock.monotonic() < deadline, "the condition did not become true within 30 s");
    await systemClock.sleep(200);
  }
}
