// Failures of forks, of the baseline and of the operator itself, on the embedded cluster in virtual time.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Service } from "@homeostat/kubernetes/core/v1";
import type { RunningOperator } from "@homeostat/operator-testing";
import { RouteGroup } from "../api/route-group.ts";
import { Sandbox, type SandboxInput } from "../api/sandbox.ts";
import { Bench, conditionOf, namespace } from "../testing/bench.ts";

type Entry = NonNullable<SandboxInput["spec"]["services"]>[number];

function fork(image = "cart:fork", fields: Partial<Entry> = {}): Entry {
  return { name: "cart", targetRef: { name: "cart" }, containers: [{ name: "app", image }], ...fields };
}

describe("a sandbox with a failure", () => {
  let bench: Bench;
  let operator: RunningOperator;

  before(async () => {
    bench = await Bench.start();
    operator = await bench.run();
    await bench.baseline("cart");
  });
  after(async () => {
    await operator[Symbol.asyncDispose]();
    await bench[Symbol.asyncDispose]();
  });

  const remove = async (name: string): Promise<void> => {
    await bench.client.delete(Sandbox, { namespace, name });
    await bench.untilDeleted(name);
  };

  it("shows the reason of the kubelet for an image that cannot be pulled, and fails after its time to become ready", async () => {
    await bench.create("pull", { services: [fork("not-pulled:1", { readyTimeoutSeconds: 60 })] });

    const progressing = await bench.waitFor(
      "pull",
      ({ status }) => status?.services?.[0]?.message?.includes("manifest unknown") === true,
      "the reason of the kubelet",
    );
    assert.equal(progressing.status?.services?.[0]?.status, "Progressing");
    assert.equal(progressing.status?.phase, "Pending");
    const failed = await bench.waitFor("pull", ({ status }) => status?.phase === "Failed", "Failed");

    assert.equal(failed.status?.services?.[0]?.status, "Failed");
    assert.match(conditionOf(failed, "Ready") ?? "", /^False ReadyTimeoutExceeded: .*manifest unknown/);
    await remove("pull");
  });

  it("is degraded and keeps its routes when a fork crashes after it was ready", async () => {
    await bench.create("crash", { services: [fork("crashing:1")] });
    await bench.running("crash");

    const failed = await bench.waitFor("crash", ({ status }) => status?.services?.[0]?.status === "Failed", "Failed");

    assert.match(conditionOf(failed, "Degraded") ?? "", /^True ForkFailed: /);
    assert.notEqual(failed.status?.phase, "Failed");
    assert.equal((await bench.table("cart"))?.spec.entries[0]?.sandbox, "crash");
    await remove("crash");
  });

  it("rebuilds its Services when a port of the baseline is renamed, and lists ports that no container serves", async () => {
    await bench.create("ports", { services: [fork()] });
    await bench.running("ports");
    const target = { namespace, name: "cart" };

    const ports = [
      { name: "web", port: 8081, targetPort: "http" },
      { name: "admin", port: 9090, targetPort: "admin" },
    ];
    await bench.client.patch(Service, target, { merge: { spec: { ports } } });

    const changed = await bench.waitFor(
      "ports",
      ({ status }) => status?.services?.[0]?.services?.[0]?.ports?.[0]?.port === 8081,
      "the new port",
    );
    assert.deepEqual(changed.status?.services?.[0]?.missingPorts, ["cart:9090"]);
    const name = changed.status?.services?.[0]?.services?.[0]?.fork ?? "";
    const { spec } = await bench.existing(Service, { namespace, name });
    assert.deepEqual(
      spec?.ports?.map((port) => [port.name, port.port, port.targetPort]),
      [["web", 8081, "http"]],
    );
    await remove("ports");
    await bench.client.patch(Service, target, {
      merge: { spec: { ports: [{ name: "http", port: 80, targetPort: "http" }] } },
    });
  });

  it("is not affected when the baseline is scaled to zero", async () => {
    await bench.create("zero", { services: [fork()] });
    await bench.running("zero");
    const target = { namespace, name: "cart" };

    await bench.client.patch(Deployment, target, { merge: { spec: { replicas: 0 } } });
    await bench.pass(120_000);

    const sandbox = await bench.get("zero");
    assert.equal(sandbox.status?.phase, "Running");
    assert.equal(sandbox.status?.services?.[0]?.readyReplicas, 1);
    assert.equal(sandbox.status?.services?.[0]?.drift, "InSync");
    await bench.client.patch(Deployment, target, { merge: { spec: { replicas: 1 } } });
    await remove("zero");
  });

  it("fails with the message of a provision hook that fails, and creates no fork", async () => {
    const { metadata } = await bench.create("hook", {
      provision: [{ name: "db", create: { image: "broken-hook:1" }, timeoutSeconds: 60, outputs: ["URL"] }],
      services: [fork()],
    });

    const failed = await bench.waitFor("hook", ({ status }) => status?.phase === "Failed", "Failed");

    assert.match(conditionOf(failed, "Ready") ?? "", /^False ProvisionFailed: .*no such database/);
    const objects = await bench.objectsOf(metadata.uid);
    assert.deepEqual(
      objects.filter((each) => each.startsWith("Deployment")),
      [],
    );
    await remove("hook");
    assert.deepEqual(
      operator.lines.filter(({ level }) => level === "error"),
      [],
    );
  });
});

describe("a baseline that vanishes", () => {
  for (const step of [1, 2, 3, 4, 5, 6, 7, 8, 9]) {
    it(`before write ${step} of the creation leaves a sandbox that can be deleted without leftovers`, async () => {
      await using bench = await Bench.start();
      await bench.baseline("cart");
      let writes = 0;
      await using operator = await bench.run({
        async onWrite() {
          writes += 1;
          if (writes !== step) return;
          await bench.client.delete(Deployment, { namespace, name: "cart" });
          await bench.client.delete(Service, { namespace, name: "cart" });
        },
      });
      const { metadata } = await bench.create("pr", { services: [fork()] });

      await bench.until("the step", async () => writes >= step);
      await bench.waitFor(
        "pr",
        ({ status }) => status?.services?.[0]?.drift === "Gone" || status?.services?.[0]?.status === "Missing",
        "Gone or Missing",
      );
      await bench.until("no table", async () => (await bench.table("cart")) === undefined);
      await bench.client.delete(Sandbox, { namespace, name: "pr" });
      await bench.untilDeleted("pr");

      assert.deepEqual(await bench.objectsOf(metadata.uid), []);
      assert.deepEqual(
        operator.lines.filter(({ level }) => level === "error"),
        [],
      );
    });
  }
});

describe("the operator", () => {
  it("deletes sandboxes at its start whose lifetime ended while it was down, and published tables stay meanwhile", async () => {
    await using bench = await Bench.start();
    await bench.baseline("cart");
    const first = await bench.run();
    await bench.create("old", { ttl: 600, services: [fork()] });
    await bench.running("old");
    const table = await bench.until("a table", async () => bench.table("cart"));
    await first.stop();

    await bench.pass(900_000);
    assert.deepEqual((await bench.table("cart"))?.spec, table.spec);
    assert.notEqual(await bench.client.get(Sandbox, { namespace, name: "old" }), undefined);

    await using second = await bench.run();
    await bench.untilDeleted("old");
    await bench.until("no table", async () => (await bench.table("cart")) === undefined);
    assert.equal(second.hasCrashed, false);
  });

  it("keeps a sandbox that is extended in the last moment before its deletion", async () => {
    await using bench = await Bench.start();
    await bench.baseline("cart");
    let extended = 0;
    await using operator = await bench.run({
      async onWrite({ method, path }) {
        if (method !== "DELETE" || !path.includes("/sandboxes/") || extended > 0) return;
        extended += 1;
        await bench.change("short", { ttl: 7_200 });
      },
    });
    const { metadata } = await bench.create("short", { ttl: 600, services: [fork()] });
    await bench.running("short");

    await bench.until("the deletion is tried", async () => extended === 1);
    await bench.pass(60_000);

    const { metadata: now } = await bench.running("short");
    assert.equal(now.uid, metadata.uid);
    assert.equal(now.deletionTimestamp, undefined);
    assert.equal(operator.hasCrashed, false);
  });

  it("keeps a routing key that another process records before its own write", async () => {
    await using bench = await Bench.start();
    await bench.baseline("cart");
    const recorded = new Set<string>();
    const record = async (type: typeof Sandbox | typeof RouteGroup, name: string): Promise<void> => {
      recorded.add(name);
      const merge = { status: { routingKey: `first-${name}` } };
      if (type === Sandbox)
        await bench.client.patch(Sandbox, { namespace, name }, { merge }, { subresource: "status" });
      else await bench.client.patch(RouteGroup, { namespace, name }, { merge }, { subresource: "status" });
    };
    await using operator = await bench.run({
      async onWrite({ path }) {
        if (path.includes("/sandboxes/raced/status") && !recorded.has("raced")) await record(Sandbox, "raced");
        if (path.includes("/routegroups/all/status") && !recorded.has("all")) await record(RouteGroup, "all");
      },
    });
    await bench.create("raced", { services: [fork()] });
    const group = RouteGroup.make({ metadata: { namespace, name: "all" }, spec: { match: { any: [] } } });
    await bench.client.create(RouteGroup, group);

    const { status } = await bench.running("raced");
    assert.equal(status.routingKey, "first-raced");
    const table = await bench.until("a table", async () => bench.table("cart"));
    assert.deepEqual(
      table.spec.entries.map(({ routingKey }) => routingKey),
      ["first-raced"],
    );
    await bench.pass(30_000);
    assert.equal((await bench.existing(RouteGroup, { namespace, name: "all" })).status.routingKey, "first-all");
    assert.equal(operator.hasCrashed, false);
  });

  it("keeps the phase while the API server responds with 429", async () => {
    await using bench = await Bench.start();
    await bench.baseline("cart");
    let isLimited = false;
    let refused = 0;
    await using operator = await bench.run({
      fault({ method }) {
        if (!isLimited || method === "GET") return undefined;
        refused += 1;
        return 429;
      },
    });
    await bench.create("busy", { services: [fork()] });
    await bench.running("busy");

    isLimited = true;
    await bench.change("busy", { labels: { team: "a" } });
    await bench.until("refused writes", async () => refused > 3);
    const during = await bench.get("busy");
    isLimited = false;

    assert.equal(during.status?.phase, "Running");
    await bench.running("busy");
    assert.equal(operator.hasCrashed, false);
  });

  it("continues after another replica lost its leadership in the middle, and writes only while it leads", async () => {
    await using bench = await Bench.start();
    await bench.baseline("cart");
    // The first replica cannot renew its Lease from its first fork on: it stops in the middle of the creation.
    let isCut = false;
    await using first = await bench.run({
      replica: "first",
      fault: ({ path }) => (isCut && path.includes("/leases") ? "lost" : undefined),
      onWrite({ method, path }) {
        if (method === "POST" && path.includes("/deployments")) isCut = true;
      },
    });
    const leads = ({ lines }: RunningOperator) => lines.some(({ message }) => message === "Became leader");
    await bench.until("the first one leads", async () => leads(first));
    await using second = await bench.run({ replica: "second" });
    await bench.pass(10_000);
    assert.deepEqual(ownWrites(second), []);

    const { metadata } = await bench.create("pr", { services: [fork()] });
    await bench.until("the second one leads", async () => leads(second));
    const written = ownWrites(first).length;
    await bench.running("pr");

    assert.equal(isCut, true);
    assert.equal(ownWrites(first).length, written);
    assert.deepEqual(
      (await bench.objectsOf(metadata.uid)).map((each) => each.split(" ")[0]),
      ["Deployment", "Service"],
    );
    await bench.client.delete(Sandbox, { namespace, name: "pr" });
    await bench.untilDeleted("pr");
    assert.deepEqual(await bench.objectsOf(metadata.uid), []);
  });
});

/** Returns the writes of a replica other than those of its Lease. */
function ownWrites(operator: RunningOperator): readonly string[] {
  return operator.writes().filter((write) => !write.includes("leases"));
}
