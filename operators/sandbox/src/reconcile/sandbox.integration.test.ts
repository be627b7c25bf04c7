// Situations of sandboxes on the embedded cluster, in virtual time.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { formatTime } from "@homeostat/core";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { Secret, Service } from "@homeostat/kubernetes/core/v1";
import { RouteTable } from "../api/route-table.ts";
import { annotations } from "../api/identity.ts";
import { Sandbox, type SandboxInput } from "../api/sandbox.ts";
import { SandboxPolicy } from "../api/sandbox-policy.ts";
import { Bench, conditionOf, namespace } from "../testing/bench.ts";

type Entry = NonNullable<SandboxInput["spec"]["services"]>[number];

/** Returns an entry that forks a workload with another image. */
function fork(name: string, fields: Partial<Entry> = {}): Entry {
  return { name, targetRef: { name }, containers: [{ name: "app", image: `${name}:fork` }], ...fields };
}

describe("sandboxes", () => {
  let bench: Bench;
  let operator: Awaited<ReturnType<Bench["run"]>>;

  before(async () => {
    bench = await Bench.start();
    operator = await bench.run();
    for (const name of ["cart", "orders", "frontend"]) await bench.baseline(name);
  });
  after(async () => {
    await operator[Symbol.asyncDispose]();
    await bench[Symbol.asyncDispose]();
  });

  const remove = async (name: string): Promise<void> => {
    await bench.client.delete(Sandbox, { namespace, name });
    await bench.untilDeleted(name);
  };
  const forkOf = async (sandbox: Sandbox): Promise<Deployment> => {
    const name = sandbox.status?.services?.[0]?.forkName ?? "";
    return bench.existing(Deployment, { namespace, name });
  };

  it("waits for a baseline that does not exist, and starts when it appears", async () => {
    await bench.create("early", { services: [fork("late")] });

    const failed = await bench.waitFor("early", ({ status }) => status?.phase === "Failed", "Failed");
    assert.match(
      conditionOf(failed, "Ready") ?? "",
      /^False BaselineMissing: Entry late: Deployment shop\/late does not exist/,
    );
    assert.equal(failed.status?.services?.[0]?.status, "Missing");

    await bench.baseline("late");
    await bench.running("early");
    await remove("early");
  });

  it("creates nothing while a patch does not apply, and names its index and path", async () => {
    const patches = [{ type: "JSON" as const, value: [{ op: "replace", path: "/spec/nothing/here", value: 1 }] }];
    const { metadata } = await bench.create("bad-patch", { services: [fork("cart", { patches })] });

    const failed = await bench.waitFor("bad-patch", ({ status }) => status?.phase === "Failed", "Failed");

    assert.match(conditionOf(failed, "ForksReady") ?? "", /^False PatchFailed: .*patches\[0\].*\/spec\/nothing\/here/);
    assert.deepEqual(await bench.objectsOf(metadata.uid), []);
    await remove("bad-patch");
  });

  it("refuses labels by which a Service of the baseline would select the fork", async () => {
    const { metadata } = await bench.create("labels", { services: [fork("cart", { preserveLabels: ["app"] })] });

    const failed = await bench.waitFor("labels", ({ status }) => status?.phase === "Failed", "Failed");

    assert.match(conditionOf(failed, "ForksReady") ?? "", /^False LabelsMatchBaseline: .*Service cart/);
    assert.deepEqual(await bench.objectsOf(metadata.uid), []);
    await remove("labels");
  });

  it("creates nothing above the ceilings of the sandbox", async () => {
    const { metadata } = await bench.create("large", {
      services: [fork("cart", { replicas: 5 })],
      resources: { cpu: "1" },
    });

    const failed = await bench.waitFor("large", ({ status }) => status?.phase === "Failed", "Failed");

    assert.match(conditionOf(failed, "WithinQuota") ?? "", /^False SandboxResourcesExceeded: .*2500m CPU/);
    assert.deepEqual(await bench.objectsOf(metadata.uid), []);
    await bench.change("large", { resources: { cpu: "3", memory: "4Gi" } });
    await bench.running("large");
    await remove("large");
  });

  it("keeps the running fork when an update exceeds the ceilings", async () => {
    await bench.create("grown", { services: [fork("cart")] });
    const running = await bench.running("grown");
    const before = await forkOf(running);

    await bench.change("grown", { resources: { cpu: "100m" } });
    const degraded = await bench.waitFor(
      "grown",
      (sandbox) => conditionOf(sandbox, "WithinQuota")?.startsWith("False") === true,
    );

    assert.match(conditionOf(degraded, "Degraded") ?? "", /^True QuotaExceeded/);
    assert.equal((await forkOf(degraded)).metadata.uid, before.metadata.uid);
    await remove("grown");
  });

  it("routes a key to the older of two sandboxes that ask for it", async () => {
    await bench.create("first", { routingKey: "same-key", services: [fork("cart")] });
    await bench.running("first");
    await bench.pass(2_000);
    await bench.create("second", { routingKey: "same-key", services: [fork("orders")] });

    const second = await bench.waitFor(
      "second",
      (sandbox) => conditionOf(sandbox, "KeyUnique")?.startsWith("False") === true,
    );

    assert.match(conditionOf(second, "Ready") ?? "", /^False RoutingKeyConflict/);
    assert.equal(await bench.table("orders"), undefined);
    await remove("first");
    await bench.running("second");
    await remove("second");
  });

  it("recreates a fork that another client deleted, and reverts changes of its fields", async () => {
    await bench.create("drift", { services: [fork("cart")] });
    const sandbox = await bench.running("drift");
    const { metadata } = await forkOf(sandbox);
    const key = { namespace, name: metadata.name ?? "" };

    await bench.client.patch(Deployment, key, { merge: { spec: { template: { spec: { priorityClassName: null } } } } });
    await bench.client.patch(Deployment, key, {
      strategic: { spec: { template: { spec: { containers: [{ name: "app", image: "evil" }] } } } },
    });
    await bench.untilObject(Deployment, key, {
      what: "the image",
      is: ({ spec }) => spec?.template.spec?.containers[0]?.image === "cart:fork",
    });
    await bench.client.delete(Deployment, key);
    await bench.until("a new fork", async () => {
      const found = await bench.client.get(Deployment, key);
      return found !== undefined && found.metadata.uid !== metadata.uid;
    });
    await remove("drift");
  });

  it("follows a new template of the baseline after it has settled", async () => {
    await bench.create("follow", { services: [fork("orders")] });
    const before = await bench.running("follow");

    const env = [{ name: "MODE", value: "new" }];
    await bench.client.patch(
      Deployment,
      { namespace, name: "orders" },
      { strategic: { spec: { template: { spec: { containers: [{ name: "app", env }] } } } } },
    );
    await bench.waitFor("follow", ({ status }) => status?.services?.[0]?.drift === "Behind", "Behind");
    const after = await bench.waitFor(
      "follow",
      ({ status }) =>
        status?.services?.[0]?.drift === "InSync" &&
        status.services[0].forkedFrom?.templateHash !== before.status?.services?.[0]?.forkedFrom?.templateHash,
      "InSync",
    );

    const { spec } = await forkOf(after);
    assert.ok(spec?.template.spec?.containers[0]?.env?.some(({ name, value }) => name === "MODE" && value === "new"));
    assert.ok(
      (await bench.eventsOf("Sandbox", { namespace, name: "follow" })).some((event) => event.includes("ForkRebased")),
    );
    await bench.running("follow");
    await remove("follow");
  });

  it("keeps a fork with the policy Pin behind its baseline", async () => {
    await bench.create("pinned", { services: [fork("frontend", { driftPolicy: "Pin" })] });
    await bench.running("pinned");

    const env = [{ name: "MODE", value: "new" }];
    await bench.client.patch(
      Deployment,
      { namespace, name: "frontend" },
      { strategic: { spec: { template: { spec: { containers: [{ name: "app", env }] } } } } },
    );
    const behind = await bench.waitFor("pinned", ({ status }) => status?.services?.[0]?.drift === "Behind", "Behind");
    await bench.pass(900_000);

    assert.match(conditionOf(await bench.get("pinned"), "BaselineInSync") ?? "", /^False Pinned/);
    assert.equal(behind.status?.phase, "Running");
    await remove("pinned");
  });

  it("builds Services again when the baseline gets another one", async () => {
    await bench.create("services", { services: [fork("cart")] });
    await bench.running("services");

    await bench.client.create(Service, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "cart-admin", namespace, annotations: { [annotations.interception]: "None" } },
      spec: { selector: { app: "cart" }, ports: [{ port: 9090, targetPort: 8080 }] },
    });

    await bench.waitFor("services", ({ status }) => status?.services?.[0]?.services?.length === 2, "two Services");
    await bench.until("a table", async () => (await bench.table("cart-admin")) !== undefined);
    await remove("services");
    await bench.client.delete(Service, { namespace, name: "cart-admin" });
  });

  it("deletes a sandbox at the end of its lifetime, after a warning", async () => {
    await bench.create("short", { ttl: 600, services: [fork("cart")] });
    const { status } = await bench.running("short");
    assert.notEqual(status?.expiresAt, undefined);

    await bench.waitFor(
      "short",
      (sandbox) => conditionOf(sandbox, "Expiring")?.startsWith("True") === true,
      "Expiring",
    );
    await bench.untilDeleted("short");

    const events = await bench.eventsOf("Sandbox", { namespace, name: "short" });
    assert.ok(
      events.some((event) => event.startsWith("Warning Expiring")),
      events.join("\n"),
    );
    assert.ok(
      events.some((event) => event.startsWith("Warning Expired")),
      events.join("\n"),
    );
  });

  it("suspends and resumes: pods and routes go and return", async () => {
    await bench.create("sleepy", { services: [fork("cart")] });
    await bench.running("sleepy");

    await bench.change("sleepy", { suspend: true });
    const suspended = await bench.waitFor(
      "sleepy",
      (sandbox) => conditionOf(sandbox, "Suspended")?.startsWith("True") === true,
    );
    await bench.until("no table", async () => (await bench.table("cart")) === undefined);
    assert.equal((await forkOf(suspended)).spec?.replicas, 0);

    await bench.change("sleepy", { suspend: false });
    await bench.running("sleepy");
    await bench.until("a table", async () => (await bench.table("cart")) !== undefined);
    await remove("sleepy");
  });

  it("sleeps without requests and wakes when a proxy reports one", async () => {
    await bench.create("idle", {
      idle: { sleepAfterSeconds: 60 },
      services: [fork("cart", { onUnavailable: "Hold" })],
    });
    const { metadata } = await bench.running("idle");

    const asleep = await bench.waitFor("idle", ({ status }) => status?.services?.[0]?.status === "Idle", "Idle");
    assert.equal(asleep.status?.phase, "Running");
    const activity = { [metadata.uid ?? ""]: formatTime(bench.clock.now()) };
    await bench.client.patch(
      RouteTable,
      { namespace, name: "cart" },
      { merge: { status: { activity } } },
      { subresource: "status" },
    );

    await bench.waitFor("idle", ({ status }) => status?.services?.[0]?.status === "Ready", "Ready");
    const events = await bench.eventsOf("Sandbox", { namespace, name: "idle" });
    assert.ok(
      events.some((event) => event.includes("Woken")),
      events.join("\n"),
    );
    await remove("idle");
  });

  it("denies a namespace whose policy disables it, and runs again when it is enabled", async () => {
    const policy = {
      apiVersion: "sandbox.example.com/v1alpha1",
      kind: "SandboxPolicy",
      metadata: { name: "off", namespace },
    } as const;
    await bench.client.create(SandboxPolicy, SandboxPolicy.default({ ...policy, spec: { enabled: false } }));
    await bench.create("denied", { services: [fork("cart")] });

    const denied = await bench.waitFor("denied", ({ status }) => status?.phase === "Failed", "Failed");
    assert.match(conditionOf(denied, "Ready") ?? "", /^False PolicyDenied/);

    await bench.client.delete(SandboxPolicy, { namespace, name: "off" });
    await bench.running("denied");
    await remove("denied");
  });

  it("runs provision hooks before the forks and gives them the outputs", async () => {
    const create = { image: "migrate:1" };
    const env = [{ name: "DB", valueFrom: { provision: { name: "db", key: "URL" } } }];
    await bench.create("hooked", {
      provision: [{ name: "db", create, delete: { image: "migrate:1" }, outputs: ["URL"] }],
      services: [fork("cart", { containers: [{ name: "app", env }] })],
    });
    const sandbox = await bench.running("hooked");

    const { spec } = await forkOf(sandbox);
    const reference = spec?.template.spec?.containers[0]?.env?.find(({ name }) => name === "DB")?.valueFrom
      ?.secretKeyRef;
    const secret = await bench.existing(Secret, { namespace, name: reference?.name ?? "" });
    assert.equal(Buffer.from(secret.data?.["URL"] ?? "", "base64").toString(), "postgres://db");
    await bench.client.delete(Sandbox, { namespace, name: "hooked" });
    await bench.until(
      "the Job of the delete hook",
      async () => (await bench.client.list(Job, { namespace })).items.length === 2,
    );
    await bench.untilDeleted("hooked");
  });
});
