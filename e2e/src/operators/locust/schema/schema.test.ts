// The schema, the conversion and the webhook of the Locust operator on a real kube-apiserver.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { JsonRecord } from "@homeostat/core";
import type { RealCluster } from "@homeostat/kube";
import {
  conversion,
  LocustTest,
  locustWebhook,
  masterJob,
  masterService,
  readSettings,
  testProblems,
  webUiService,
  workerJob,
} from "@homeostat/locust-operator";
import { CertificateKeeper, clientConfig, webhookManifests, WebhookServer } from "@homeostat/webhook";
import { reasonToSkip, startCluster } from "../../../harness/cluster.ts";
import { bundleAt, secretStore, send } from "../../../harness/certificate-ports.ts";
import { alone, at, cases, groupOf, objectOf, small } from "./cases.ts";

const crdPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const hooksPath = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
const tests = (version: string, group = "locust.io"): string =>
  `/apis/${group}/${version}/namespaces/default/locusttests`;
const { settings } = readSettings({});

const skip = (await reasonToSkip({ need: "apiserver" })) ?? false;

describe("a real API server with the LocustTest CRD", { skip }, () => {
  let cluster: RealCluster;
  let server: WebhookServer;
  let keeping: Promise<void>;
  const stop = new AbortController();

  before(async () => {
    cluster = await startCluster({ need: "apiserver" });
    for (const version of ["v1", "v2"] as const) {
      await send(cluster, { method: "POST", path: crdPath, body: alone(version) });
    }

    server = new WebhookServer({ webhooks: [locustWebhook({ settings })], conversions: [conversion] });
    const keeper = new CertificateKeeper({
      secret: secretStore(cluster, "locust-webhook"),
      targets: [bundleAt(cluster, `${crdPath}/locusttests.locust.io`), bundleAt(cluster, `${hooksPath}/locust`)],
      policy: { hosts: ["127.0.0.1"] },
      pollMs: 200,
      serve: (pair) => server.reload(pair),
    });
    const { port } = await server.listen({ certificate: await keeper.sync(), port: 0, host: "127.0.0.1" });
    keeping = keeper.run(stop.signal);
    const location = { url: `https://127.0.0.1:${port}` };
    const crd = LocustTest.crd({ conversionWebhook: clientConfig(location, "/convert") });
    await send(cluster, { method: "POST", path: crdPath, body: crd });
    await until(async () => (await create("v1", "before", small.v1)).status === 201);
    // Stored before the validating webhook was installed.
    await until(async () => (await create("v2", "1-bad", small.v2)).status === 201);
    const { validating } = webhookManifests({
      name: "locust",
      webhooks: [locustWebhook({ settings })],
      location,
      ownNamespace: "locust-system",
      timeoutSeconds: 10,
    });
    await send(cluster, { method: "POST", path: hooksPath, body: validating });
    await until(async () => (await create("v2", "2-bad", small.v2)).status === 422);
    for (const version of ["v1", "v2"] as const) {
      await until(async () => (await cluster.request({ path: tests(version, groupOf(version)) })).status === 200);
    }
  });

  after(async () => {
    stop.abort();
    await keeping;
    await server?.stop({ graceMs: 1_000 });
    await cluster?.stop();
  });

  const create = (version: "v1" | "v2", name: string, spec: object) =>
    cluster.request({
      method: "POST",
      path: tests(version),
      body: { apiVersion: `locust.io/${version}`, kind: "LocustTest", metadata: { name }, spec },
    });

  for (const one of cases) {
    it(`${one.title} in ${one.version}`, async () => {
      const path = `${tests(one.version, groupOf(one.version))}?dryRun=All&fieldValidation=Strict`;

      const { status, body, text } = await cluster.request({ method: "POST", path, body: objectOf(one) });

      if (one.refused !== undefined) {
        assert.equal(status, 422, text);
        assert.ok(text.includes(one.refused), text);
        return;
      }
      assert.equal(status, 201, text);
      const { spec } = body as JsonRecord;
      for (const [fieldPath, value] of Object.entries(one.expect ?? {})) {
        assert.deepEqual(at(spec, fieldPath) ?? null, value, fieldPath);
      }
    });
  }

  it("accepts the objects of every test that passes validation", async () => {
    const injecting = readSettings({
      ENABLE_AFFINITY_CR_INJECTION: "true",
      ENABLE_TAINT_TOLERATIONS_CR_INJECTION: "true",
      JOB_TTL_SECONDS_AFTER_FINISHED: "0",
      DEFAULT_RUNTIME_CLASS_NAME: "gvisor",
    }).settings;
    let count = 0;
    for (const one of cases.filter(({ version, refused }) => version === "v2" && refused === undefined)) {
      const test = LocustTest.default({
        apiVersion: "locust.io/v2",
        kind: "LocustTest",
        metadata: { name: "a.b", namespace: "default", uid: "00000000-0000-0000-0000-000000000000" },
        spec: objectOf(one)["spec"] as LocustTest["spec"],
      });
      if (testProblems(test, settings).length > 0) continue;
      const plan = { test, settings: injecting, run: 1 };
      for (const object of [masterService(plan), webUiService(plan), masterJob(plan), workerJob(plan)]) {
        if (object === undefined) continue;
        const folder = object.kind === "Job" ? "/apis/batch/v1" : "/api/v1";
        const path = `${folder}/namespaces/default/${object.kind.toLowerCase()}s?dryRun=All&fieldValidation=Strict`;
        const { status, text } = await cluster.request({ method: "POST", path, body: object });
        assert.equal(status, 201, `${one.title}: ${text}`);
        count += 1;
      }
    }

    assert.ok(count > 90, `${count} objects`);
  });

  it("stores a v1 test as v2 and serves it in both versions", async () => {
    const old = await send(cluster, { path: `${tests("v1")}/before` });
    const recent = await send(cluster, { path: `${tests("v2")}/before` });

    assert.deepEqual(old?.["spec"], { ...small.v1, imagePullPolicy: "IfNotPresent" });
    assert.deepEqual(at(recent, "spec.master"), {
      command: "m",
      autostart: true,
      autoquit: { enabled: true, timeout: 60 },
    });
    assert.equal(at(recent, "metadata.annotations"), undefined);
  });

  it("keeps the status and the v2-only fields of a finished test when v1 sets a label", async () => {
    const spec = { ...small.v2, thresholds: [{ metric: "failRatio", max: 0.1 }], timeoutSeconds: 60 };
    await create("v2", "finished", spec);
    const path = `${tests("v2")}/finished`;
    const status = { phase: "Succeeded", completionTime: "2026-01-01T00:00:00Z", result: { outcome: "Passed" } };
    const mergePatch = { method: "PATCH", contentType: "application/merge-patch+json" } as const;
    await send(cluster, { ...mergePatch, path: `${path}/status`, body: { status } });
    const before = await send(cluster, { path });

    const labelled = { metadata: { labels: { a: "b" } } };
    await send(cluster, { ...mergePatch, path: `${tests("v1")}/finished`, body: labelled });

    const now = await send(cluster, { path });
    assert.deepEqual([now?.["spec"], now?.["status"]], [before?.["spec"], before?.["status"]]);
    assert.deepEqual(at(now, "metadata.labels"), { a: "b" });
    assert.equal(at(now, "metadata.generation"), at(before, "metadata.generation"));
    assert.equal(at(now, "metadata.annotations"), undefined);
  });

  it("rejects an invalid test with all its problems, in either version", async () => {
    const v2 = await create("v2", "3-bad", { ...small.v2, image: " ", volumes: [{ name: "secret-a", emptyDir: {} }] });
    const v1 = await create("v1", "3-bad", { ...small.v1, image: " " });

    assert.equal(v2.status, 422);
    assert.match(v2.text, /must start with a letter.*spec\.image must not be blank.*uses reserved prefix/);
    assert.equal(v1.status, 422);
    assert.match(v1.text, /must start with a letter.*spec\.image must not be blank/);
  });

  it("accepts labels for a stored invalid test and its deletion, but not its creation", async () => {
    const path = `${tests("v2")}/1-bad`;
    const bad = await send(cluster, { path });
    const labelled = { ...bad, metadata: { ...(bad?.["metadata"] as object), labels: { a: "b" } } };

    const update = await cluster.request({ method: "PUT", path, body: labelled });
    const removal = await cluster.request({ method: "DELETE", path });
    const again = await create("v2", "1-bad", small.v2);

    assert.deepEqual([update.status, removal.status, again.status], [200, 200, 422]);
  });

  it("serves both versions with their columns, and v1 as deprecated", async () => {
    const crd = await send(cluster, { path: `${crdPath}/locusttests.locust.io` });
    const versions = at(crd, "spec.versions") as JsonRecord[];

    const names = versions.map(({ additionalPrinterColumns }) =>
      (additionalPrinterColumns as JsonRecord[]).map(
        ({ name, priority }) => `${String(name)}${priority === 1 ? "*" : ""}`,
      ),
    );

    assert.deepEqual(names, [
      ["master_cmd", "worker_replica_count", "Image", "Age"],
      ["Phase", "Workers", "Connected", "Image*", "Users*", "RPS*", "Fail%*", "Outcome*", "Age"],
    ]);
    assert.deepEqual(
      versions.map(({ served, storage, deprecated, deprecationWarning }) => [
        served,
        storage,
        deprecated,
        deprecationWarning,
      ]),
      [
        [true, false, true, "locust.io/v1 LocustTest is deprecated, migrate to locust.io/v2"],
        [true, true, undefined, undefined],
      ],
    );
  });
});

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!(await isTrue())) {
    assert.ok(performance.now() < deadline, "timed out after a minute");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
