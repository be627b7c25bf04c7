// Migration from the Go operator: this operator takes over its objects and runs no load test a second time.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { Client, type Layer, loadConnection } from "@homeostat/client";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { Namespace, Service } from "@homeostat/kubernetes/core/v1";
import { Event } from "@homeostat/kubernetes/events/v1";
import {
  annotations,
  conversion,
  finalizer,
  LocustTest,
  locustOperator,
  masterJob,
  masterService,
  readSettings,
  workerJob,
} from "@homeostat/locust-operator";
import { createOperatorManager } from "@homeostat/operator";
import { silentLogger } from "@homeostat/runtime";
import { CertificateKeeper, clientConfig, WebhookServer } from "@homeostat/webhook";
import { eachServer } from "../../../harness/each-server.ts";
import type { TestServer } from "../../../harness/test-server.ts";
import { bundleAt, secretStore } from "../../../harness/certificate-ports.ts";
import { type ObjectVersion, objectVersions, namespace, restoreObjects, recording } from "./go-operator-objects.ts";

const crdPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const crdName = "locusttests.locust.io";
const reading = readSettings({ LIVE_STATS_ENABLED: "false" });

await eachServer("the migration from the Go operator", ({ start }) => {
  let server: TestServer;
  let client: Client;
  let hooks: WebhookServer;
  let keeping: Promise<void>;
  let operator: Running | undefined;
  let untouched: ObjectVersion[] = [];
  /** Specs as read before this operator ran, with the defaults of fields that the Go operator does not know. */
  const specs = new Map<string, LocustTest["spec"]>();
  const stop = new AbortController();

  before(async () => {
    server = await start();
    client = await Client.fromKubeconfig({ file: server.kubeconfigPath, defaults: { fieldManager: "a-user" } });
    await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    await oldestDefinition();
    hooks = new WebhookServer({ conversions: [conversion] });
    const keeper = new CertificateKeeper({
      secret: secretStore(server, "locust-webhook"),
      targets: [bundleAt(server, `${crdPath}/${crdName}`)],
      policy: { hosts: ["127.0.0.1"] },
      pollMs: 200,
      serve: (pair) => hooks.reload(pair),
    });
    const { port } = await hooks.listen({ certificate: await keeper.sync(), port: 0, host: "127.0.0.1" });
    await newDefinition(`https://127.0.0.1:${port}`);
    keeping = keeper.run(stop.signal);
    await until("both versions are served", async () => {
      const { status } = await server.request({
        path: `/apis/locust.io/v2/namespaces/${namespace}/locusttests/ancient`,
      });
      return status === 200;
    });
    await restoreObjects(client);
    untouched = await objectVersions(client);
    for (const { metadata, spec } of (await client.list(LocustTest, { namespace })).items) {
      specs.set(metadata.name ?? "", spec);
    }
  });

  after(async () => {
    await operator?.stop();
    stop.abort();
    await keeping;
    client?.close();
    await hooks?.stop({ graceMs: 1_000 });
    await server?.stop();
  });

  it("keeps existing objects unchanged, and only completes their status", async () => {
    operator = await run(server);
    for (const { metadata } of recording.tests) {
      await until(`${metadata.name} is known`, async () => {
        const { status } = await get(metadata.name);
        return (
          status?.startedGeneration !== undefined && (status.phase !== "Running" || status.masterJobUID !== undefined)
        );
      });
    }
    await operator.settled();

    assert.deepEqual(await objectVersions(client), untouched);
    // Only the LocustTest without a status is started.
    await until("the event is recorded", async () => (await recordedEvents()).length > 0);
    assert.deepEqual(await recordedEvents(), ["ancient TestStarted"]);
    const others = operator.writes.filter((write) => !write.includes("/events") && !write.includes("/ancient"));
    assert.deepEqual(
      others.filter((write) => !isStatusWrite(write)),
      [],
    );
    for (const { metadata, status: recorded } of recording.tests) {
      const test = await get(metadata.name);
      const { phase, startTime, completionTime, expectedWorkers, connectedWorkers = 0 } = test.status ?? {};
      assert.deepEqual(test.spec, specs.get(metadata.name), metadata.name);
      assert.equal(test.metadata.generation, metadata.generation, metadata.name);
      assert.deepEqual(
        { phase, startTime, completionTime, expectedWorkers, connectedWorkers },
        {
          phase: recorded.phase,
          startTime: recorded.startTime,
          completionTime: recorded.completionTime,
          expectedWorkers: recorded.expectedWorkers,
          connectedWorkers: recorded.connectedWorkers ?? 0,
        },
        metadata.name,
      );
    }
    const { status } = await get("shop.smoke");
    const jobs = await Promise.all(["master", "worker"].map((role) => job(`shop-smoke-${role}`)));
    assert.deepEqual(
      [status?.masterJobUID, status?.workerJobUID],
      jobs.map((each) => each?.metadata.uid),
    );
  });

  it("takes over a LocustTest of the first Go release, which wrote no status, without running it again", async () => {
    await until("it is running", async () => (await get("ancient")).status?.phase === "Running");
    const test = await get("ancient");

    assert.deepEqual(test.metadata.finalizers, [finalizer]);
    assert.equal(test.spec.master.command, "--host http://old");
    const found = (await objectVersions(client)).filter(({ name }) => name.startsWith("ancient"));
    assert.deepEqual(
      found.map(({ kind, name }) => `${kind} ${name}`),
      ["Job ancient-master", "Job ancient-worker", "Service ancient-master"],
    );
    assert.deepEqual(
      found.map(({ uid }) => uid),
      ancientUids,
    );
  });

  it("writes nothing after a restart", async () => {
    await operator?.stop();
    operator = await run(server);
    await operator.settled();

    assert.deepEqual(operator.writes, []);
  });

  it("creates the same objects as the Go operator, plus a label and an annotation, when service account tokens are mounted", async () => {
    const { settings } = readSettings({ LIVE_STATS_ENABLED: "false", MOUNT_SERVICE_ACCOUNT_TOKEN: "true" });
    for (const { metadata, spec } of recording.tests.filter(({ metadata: { name } }) => name !== "edited")) {
      const test = LocustTest.parse({
        apiVersion: "locust.io/v2",
        kind: "LocustTest",
        metadata: { name: metadata.name, namespace: "default", uid: "00000000-0000-0000-0000-000000000000" },
        spec,
      });
      const plan = { test, settings, run: 1 };
      for (const made of [masterService(plan), masterJob(plan), workerJob(plan)]) {
        const isJob = made.kind === "Job";
        const path = `${isJob ? "/apis/batch/v1" : "/api/v1"}/namespaces/default/${isJob ? "jobs" : "services"}`;
        const { status, body, text } = await server.request({ method: "POST", path: `${path}?dryRun=All`, body: made });
        assert.equal(status, 201, text);
        const theirs = (isJob ? recording.jobs : recording.services).find(
          (each) => each.metadata.name === made.metadata.name,
        );
        assert.deepEqual(comparable(body), comparable(theirs), `${made.kind} ${made.metadata.name}`);
      }
    }
  });

  it("completes a load test that was running", async () => {
    const status = { active: 0, succeeded: 1, conditions: [{ type: "Complete", status: "True" as const }] };
    await endJob("shop-smoke-master", status);

    await until("the end", async () => (await get("shop.smoke")).status?.phase === "Succeeded");
    await until("the event is recorded", async () => (await recordedEvents()).includes("shop.smoke TestCompleted"));
    assert.deepEqual(
      (await recordedEvents()).filter((note) => note.startsWith("shop.smoke")),
      ["shop.smoke TestCompleted"],
    );
  });

  it("does not run a finished load test again when its Jobs are deleted or its spec is edited", async () => {
    for (const name of ["done-master", "done-worker"]) {
      await client.delete(Job, { namespace, name }, { propagation: "Background" });
    }
    await client.patch(LocustTest, { namespace, name: "done" }, { merge: { spec: { worker: { replicas: 7 } } } });

    await until("the edit is observed", async () => (await get("done")).status?.observedGeneration === 3);
    await operator?.settled();
    const { status } = await get("done");
    assert.equal(status?.phase, "Succeeded");
    assert.equal(status.conditions?.find(({ type }) => type === "SpecDrifted")?.status, "True");
    assert.equal(await job("done-master"), undefined);
  });

  it("defers an edit of a running load test and sets a condition", async () => {
    const earlier = await job("rich-worker");
    await client.patch(LocustTest, { namespace, name: "rich" }, { merge: { spec: { worker: { replicas: 9 } } } });

    await until("the edit is observed", async () => (await get("rich")).status?.observedGeneration === 3);
    const { status } = await get("rich");
    assert.equal(status?.phase, "Running");
    assert.equal(status.conditions?.find(({ type }) => type === "SpecDrifted")?.reason, "SpecChangeIgnored");
    assert.deepEqual(await job("rich-worker"), earlier);
  });

  it("runs an edited load test again on request, with the current spec", async () => {
    const merge = { metadata: { annotations: { [annotations.rerun]: "once" } } };
    await client.patch(LocustTest, { namespace, name: "done" }, { merge });

    await until("it is running", async () => (await get("done")).status?.phase === "Running");
    const { status } = await get("done");
    assert.equal(status?.run, 2);
    assert.equal(status.history?.[0]?.phase, "Succeeded");
    assert.equal(
      status.conditions?.some(({ type }) => type === "SpecDrifted"),
      false,
    );
    assert.equal((await job("done-worker"))?.spec.parallelism, 7);
  });

  it("adds the finalizer to a LocustTest without it, and changes nothing else", async () => {
    await client.patch(LocustTest, { namespace, name: "traced" }, { merge: { metadata: { finalizers: null } } });

    await until("it has one", async () => (await get("traced")).metadata.finalizers?.includes(finalizer) === true);
    const { metadata, spec } = await get("traced");
    const recorded = recording.tests.find((test) => test.metadata.name === "traced");
    assert.equal(metadata.generation, recorded?.metadata.generation);
    assert.deepEqual(spec, specs.get("traced"));
  });

  it("releases a deleted LocustTest", async () => {
    await client.delete(LocustTest, { namespace, name: "broken" });

    await until("it is gone", async () => (await client.get(LocustTest, { namespace, name: "broken" })) === undefined);
  });

  const ancientUids: (string | undefined)[] = [];

  /** Installs the CRD of the first Go release: only the old version, without a status. */
  async function oldestDefinition(): Promise<void> {
    const crd = LocustTest.crd();
    const versions = crd.spec.versions
      .filter(({ name }) => name === "v1")
      .map((version) => ({ ...version, served: true, storage: true }));
    await post(crdPath, { ...crd, spec: { ...crd.spec, versions, conversion: { strategy: "None" } } });
    await until("the oldest definition is established", async () => {
      const found = await client.get(CustomResourceDefinition, { name: crdName });
      return (
        found?.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") === true
      );
    });
    const path = `/apis/locust.io/v1/namespaces/${namespace}/locusttests`;
    const spec = {
      image: "locustio/locust:2.15.1",
      masterCommandSeed: "--host http://old",
      workerCommandSeed: "--host http://old",
      workerReplicas: 1,
    };
    const test = { apiVersion: "locust.io/v1", kind: "LocustTest", metadata: { name: "ancient" }, spec };
    let uid = "";
    await until("the oldest definition is served", async () => {
      const { status, body } = await server.request({ method: "POST", path, body: test });
      uid = (body as LocustTest | undefined)?.metadata?.uid ?? "";
      return status === 201;
    });
    const owner = { apiVersion: "locust.io/v1", kind: "LocustTest", name: "ancient", uid, controller: true };
    const recorded = recording.jobs.find(({ metadata }) => metadata.name === "traced-worker");
    assert.ok(recorded);
    for (const role of ["master", "worker"]) {
      const metadata = { name: `ancient-${role}`, namespace, ownerReferences: [owner] };
      const made = await client.create(Job, { apiVersion: "batch/v1", kind: "Job", metadata, spec: recorded.spec });
      await client.update(Job, { ...made, status: { active: 1 } }, { subresource: "status" });
      ancientUids.push(made.metadata.uid);
    }
    const made = await client.create(Service, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "ancient-master", namespace, ownerReferences: [owner] },
      spec: { ports: [{ port: 5557 }] },
    });
    ancientUids.push(made.metadata.uid);
  }

  /** Replaces that CRD with the CRD of this operator. */
  async function newDefinition(url: string): Promise<void> {
    const crd = LocustTest.crd({ conversionWebhook: clientConfig({ url }, "/convert") });
    const path = `${crdPath}/${crdName}`;
    await until("the definition is replaced", async () => {
      const { body } = await server.request({ path });
      const { resourceVersion } = (body as LocustTest).metadata;
      const metadata = { ...crd.metadata, resourceVersion };
      return (await server.request({ method: "PUT", path, body: { ...crd, metadata } })).status === 200;
    });
  }

  async function post(path: string, body: object): Promise<void> {
    const { status, text } = await server.request({ method: "POST", path, body });
    assert.equal(status, 201, text);
  }

  async function get(name: string): Promise<LocustTest> {
    const found = await client.get(LocustTest, { namespace, name });
    assert.ok(found, name);
    return found;
  }

  /** Returns the events of LocustTests. kube-apiserver records events about Services, whose addresses its repair loop may not have allocated yet. */
  async function recordedEvents(): Promise<string[]> {
    const { items } = await client.list(Event, { namespace });
    return items
      .filter(({ regarding }) => regarding?.kind === LocustTest.kind)
      .map(({ regarding, reason }) => `${regarding?.name} ${reason}`);
  }

  const job = (name: string): Promise<Job | undefined> => client.get(Job, { namespace, name });

  /** Writes the status of a Job as the Job controller would; none runs here. */
  async function endJob(name: string, { conditions, ...status }: NonNullable<Job["status"]>): Promise<void> {
    const found = await job(name);
    assert.ok(found);
    const time = "2026-01-01T00:00:00Z";
    const allConditions = [{ type: "SuccessCriteriaMet", status: "True" as const }, ...(conditions ?? [])].map(
      (each) => ({
        ...each,
        lastProbeTime: time,
        lastTransitionTime: time,
      }),
    );
    const startTime = found.status?.startTime ?? time;
    const ended = {
      ...status,
      startTime,
      completionTime: startTime,
      conditions: allConditions,
      ready: 0,
      terminating: 0,
    };
    await client.update(Job, { ...found, status: ended }, { subresource: "status" });
  }
});

/** A running operator and all its writes. */
interface Running {
  readonly writes: readonly string[];
  /** Resolves when the caches are synced and no request was sent for a while. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

async function run({ kubeconfigPath }: TestServer): Promise<Running> {
  const writes: string[] = [];
  let lastMs = performance.now();
  const recordWrites: Layer = (next) => ({
    send: (request) => {
      lastMs = performance.now();
      if (request.method !== "GET" && request.isReadOnly !== true) writes.push(`${request.method} ${request.path}`);
      return next.send(request);
    },
  });
  const stop = new AbortController();
  const manager = createOperatorManager(locustOperator(reading), {
    connection: await loadConnection({ file: kubeconfigPath }),
    run: { webhooks: false, healthProbeBindAddress: "0", metricsBindAddress: "0" },
    log: silentLogger,
    layers: [recordWrites],
  });
  const running = manager.run(stop.signal);
  return {
    writes,
    settled: async () => {
      await until("the operator is idle", async () => performance.now() - lastMs > 1_500);
    },
    stop: async () => {
      stop.abort();
      await running;
    },
  };
}

function isStatusWrite(write: string): boolean {
  return /\/locusttests\/[^/]+\/status(\?|$)/.test(write);
}

/** Returns the parts of an object that determine how a load test runs. */
function comparable(object: unknown): unknown {
  const { spec, metadata } = structuredClone(object) as { spec: Record<string, unknown>; metadata: Job["metadata"] };
  const { template } = spec as { template?: { metadata?: { labels?: Record<string, string> } } };
  for (const field of [template === undefined ? [] : ["selector"], "clusterIP", "clusterIPs"].flat())
    delete spec[field];
  for (const key of Object.keys(template?.metadata?.labels ?? {})) {
    if (/controller-uid|job-name/.test(key)) delete template?.metadata?.labels?.[key];
  }
  const [owner] = metadata.ownerReferences ?? [];
  return { spec, owner: { ...owner, uid: "" } };
}

/** Polls until a condition holds. */
async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`timed out waiting until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
