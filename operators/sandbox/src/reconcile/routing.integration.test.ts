// RouteGroups and route tables on the embedded cluster, in virtual time.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { RouteGroup } from "../api/route-group.ts";
import { RouteTable } from "../api/route-table.ts";
import { Sandbox, type SandboxInput } from "../api/sandbox.ts";
import { Bench, conditionOf, namespace } from "../testing/bench.ts";

type Entry = NonNullable<SandboxInput["spec"]["services"]>[number];

function fork(name: string): Entry {
  return { name, targetRef: { name }, containers: [{ name: "app", image: `${name}:fork` }] };
}

const feature = { all: [{ label: { key: "feature", value: "checkout-*" } }] };

describe("route groups", () => {
  let bench: Bench;
  let operator: Awaited<ReturnType<Bench["run"]>>;

  before(async () => {
    bench = await Bench.start();
    operator = await bench.run();
    for (const name of ["cart", "orders"]) await bench.baseline(name);
    await bench.create("cart-fork", { labels: { feature: "checkout-v2" }, services: [fork("cart")] });
    await bench.create("orders-fork", { labels: { feature: "checkout-v2" }, services: [fork("orders")] });
    await bench.running("cart-fork");
    await bench.running("orders-fork");
  });
  after(async () => {
    await operator[Symbol.asyncDispose]();
    await bench[Symbol.asyncDispose]();
  });

  const sandboxesOfKey = async (service: string, key: string | undefined): Promise<readonly string[]> =>
    ((await bench.table(service))?.spec.entries ?? [])
      .filter(({ routingKey }) => routingKey === key)
      .map(({ sandbox }) => sandbox);
  const dropGroup = async (name: string): Promise<void> => {
    await bench.client.delete(RouteGroup, { namespace, name });
    await bench.until(
      "the group is gone",
      async () => (await bench.client.get(RouteGroup, { namespace, name })) === undefined,
    );
  };

  it("joins matching sandboxes under one key", async () => {
    await bench.createGroup("checkout", { match: feature });

    const group = await bench.waitForGroup(
      "checkout",
      (each) => conditionOf(each, "Ready")?.startsWith("True") === true,
      "Ready",
    );

    assert.deepEqual(group.status?.matchedSandboxes, ["cart-fork", "orders-fork"]);
    assert.equal(group.status?.summary?.sandboxes, "2/2");
    assert.deepEqual(await sandboxesOfKey("cart", group.status?.routingKey), ["cart-fork"]);
    assert.deepEqual(await sandboxesOfKey("orders", group.status?.routingKey), ["orders-fork"]);
    const sandbox = await bench.waitFor(
      "cart-fork",
      ({ status }) => status?.routeGroups?.includes("checkout") === true,
      "the group",
    );
    assert.equal(sandbox.status?.phase, "Running");
  });

  it("drops the routes of a group that is deleted, and tells its sandboxes", async () => {
    const { status } = await bench.waitForGroup("checkout", (each) => each.status?.routingKey !== undefined);

    await dropGroup("checkout");

    await bench.until("no routes", async () => (await sandboxesOfKey("cart", status?.routingKey)).length === 0);
    await bench.waitFor("cart-fork", ({ status: state }) => (state?.routeGroups ?? []).length === 0, "no group");
    const events = await bench.eventsOf("Sandbox", { namespace, name: "cart-fork" });
    assert.ok(
      events.some((event) => event.includes("RouteGroupUnmatched")),
      events.join("\n"),
    );
  });

  it("names winner and losers if two sandboxes change one Service", async () => {
    await bench.pass(2_000);
    await bench.create("cart-newer", { labels: { feature: "checkout-v3" }, services: [fork("cart")] });
    await bench.running("cart-newer");
    await bench.createGroup("conflicts", { match: feature });

    const group = await bench.waitForGroup(
      "conflicts",
      (each) => (each.status?.conflicts ?? []).length > 0,
      "a conflict",
    );

    assert.deepEqual(group.status?.conflicts, [{ service: "cart", winner: "cart-fork", losers: ["cart-newer"] }]);
    assert.match(
      conditionOf(group, "ConflictFree") ?? "",
      /^False RouteConflict: cart is changed by cart-fork, cart-newer; cart-fork serves it/,
    );
    await bench.client.patch(
      RouteGroup,
      { namespace, name: "conflicts" },
      { merge: { spec: { conflictPolicy: "Newest" } } },
    );
    await bench.waitForGroup(
      "conflicts",
      (each) => each.status?.conflicts?.[0]?.winner === "cart-newer",
      "the newer one",
    );
    const lostBy = async (name: string): Promise<readonly string[]> =>
      (await bench.eventsOf("Sandbox", { namespace, name })).filter((event) => event.includes("RouteConflict"));
    const lost = "RouteGroup conflicts matches several sandboxes that change Service cart and routes it to sandbox";
    await bench.until("the event of the new loser", async () =>
      (await lostBy("cart-fork")).some((event) => event.includes(`${lost} cart-newer`)),
    );
    assert.ok((await lostBy("cart-newer")).some((event) => event.includes(`${lost} cart-fork`)));
    await bench.client.patch(Sandbox, { namespace, name: "cart-fork" }, { merge: { spec: { priority: 5 } } });
    await bench.waitForGroup(
      "conflicts",
      (each) => each.status?.conflicts?.[0]?.winner === "cart-fork",
      "the priority",
    );
    await dropGroup("conflicts");
  });

  it("is not ready if it matches nothing", async () => {
    await bench.createGroup("empty", { match: { label: { key: "feature", value: "nothing" } } });

    const group = await bench.waitForGroup(
      "empty",
      (each) => conditionOf(each, "Ready")?.startsWith("False NoMatch") === true,
      "NoMatch",
    );

    assert.equal(group.status?.totalSandboxes, 0);
    await dropGroup("empty");
  });

  it("puts explicit routes with conditions before those of the match", async () => {
    await bench.createGroup("explicit", {
      match: feature,
      routes: [
        {
          targetSandbox: "cart-fork",
          paths: [{ prefix: "/api" }],
          percent: 50,
          additionalHeaders: { "x-environment": "sandbox" },
        },
      ],
    });
    const group = await bench.waitForGroup(
      "explicit",
      (each) => conditionOf(each, "Ready")?.startsWith("True") === true,
      "Ready",
    );

    const entries = ((await bench.table("cart"))?.spec.entries ?? []).filter(
      ({ routingKey }) => routingKey === group.status?.routingKey,
    );

    assert.deepEqual(
      entries.map(({ source, percent, match }) => ({ source, percent, paths: match?.paths })),
      [
        { source: "Explicit", percent: 50, paths: [{ prefix: "/api" }] },
        { source: "RouteGroup", percent: undefined, paths: undefined },
      ],
    );
    await dropGroup("explicit");
  });

  it("ends after its lifetime without a matching sandbox", async () => {
    await bench.createGroup("ending", { match: { label: { key: "feature", value: "nothing" } }, ttl: "10m" });

    await bench.until(
      "the group expires",
      async () => (await bench.client.get(RouteGroup, { namespace, name: "ending" })) === undefined,
      20,
    );

    const events = await bench.eventsOf("RouteGroup", { namespace, name: "ending" });
    assert.ok(
      events.some((event) => event.includes("Expired")),
      events.join("\n"),
    );
  });

  it("publishes again a table that another client deleted", async () => {
    const before = await bench.existing(RouteTable, { namespace, name: "orders" });

    await bench.client.delete(RouteTable, { namespace, name: "orders" });

    const after = await bench.until("another table", async () => {
      const found = await bench.table("orders");
      return found !== undefined && found.metadata.uid !== before.metadata.uid && found;
    });
    assert.equal(after.spec.version, before.spec.version);
  });

  it("writes nothing while nothing changes", async () => {
    await bench.pass(30_000);
    const before = operator.writes().length;

    await bench.pass(1_200_000);

    assert.deepEqual(operator.writes().slice(before), []);
    assert.equal(operator.metric("sandbox_compiler_mismatch_total", {}) ?? 0, 0);
  });

  it("changes nothing when the operator starts again", async () => {
    await operator[Symbol.asyncDispose]();

    operator = await bench.run();
    await bench.pass(60_000);

    assert.deepEqual(operator.writes(), []);
  });
});

describe("the route table of a Service", () => {
  let bench: Bench;
  let operator: Awaited<ReturnType<Bench["run"]>>;

  before(async () => {
    bench = await Bench.start();
    operator = await bench.run();
    await bench.baseline("cart");
    await bench.create("pr-1", { services: [fork("cart")] });
    await bench.running("pr-1");
  });
  after(async () => {
    await operator[Symbol.asyncDispose]();
    await bench[Symbol.asyncDispose]();
  });

  const isRouted = async (): Promise<boolean> => ((await bench.table("cart"))?.spec.entries ?? []).length > 0;

  it("follows a user who switches a sandbox off and on, without delay", async () => {
    const begin = bench.clock.now();
    for (let round = 0; round < 12; round += 1) {
      for (const suspend of [true, false]) {
        await bench.client.patch(Sandbox, { namespace, name: "pr-1" }, { merge: { spec: { suspend } } });
        await bench.until(`suspend ${suspend} in round ${round}`, async () => (await isRouted()) === !suspend);
      }
    }

    assert.ok(bench.clock.now() - begin < 60_000, `24 changes took ${bench.clock.now() - begin} ms`);
  });

  it("is corrected with growing delays if another client changes it again and again", async () => {
    await bench.pass(120_000);
    const begin = bench.clock.now();
    let changes = 0;
    while (bench.clock.now() - begin < 120_000) {
      const table = await bench.table("cart");
      if (table !== undefined && table.spec.version !== "changed") {
        changes += 1;
        const patch = { merge: { spec: { version: "changed" } } };
        await bench.client.patch(RouteTable, { namespace, name: "cart" }, patch, { fieldManager: "other" });
      }
      await bench.pass(250);
    }

    assert.ok(changes > 5 && changes < 20, `${changes} corrections in two minutes`);
  });
});
