import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Bench, conditionOf, namespace } from "../testing/bench.ts";

describe("the life of a sandbox", () => {
  let bench: Bench;

  before(async () => {
    bench = await Bench.start();
  });
  after(async () => {
    await bench[Symbol.asyncDispose]();
  });

  it("forks a workload, publishes its route, and leaves nothing when it is deleted", async () => {
    await using operator = await bench.run();
    await bench.baseline("cart");
    const { metadata } = await bench.create("pr-42", {
      services: [{ name: "cart", targetRef: { name: "cart" }, containers: [{ name: "app", image: "cart:pr-42" }] }],
    });

    const sandbox = await bench.running("pr-42");

    assert.equal(conditionOf(sandbox, "Ready"), "True SandboxReady: All entries are ready");
    assert.notEqual(sandbox.status?.readyAt, undefined);
    assert.equal(operator.metric("sandbox_ready_seconds_count", { namespace }), 1);
    assert.equal(operator.metric("sandbox_count", { namespace, phase: "Running" }), 1);
    const table = await bench.until("a table", async () => bench.table("cart"));
    assert.deepEqual(
      table.spec.entries.map(({ routingKey, sandbox: name, workload }) => ({ routingKey, name, workload })),
      [{ routingKey: sandbox.status?.routingKey, name: "pr-42", workload: "cart" }],
    );

    await bench.client.delete((await import("../api/sandbox.ts")).Sandbox, { namespace, name: "pr-42" });
    await bench.untilDeleted("pr-42");

    assert.deepEqual(await bench.objectsOf(metadata.uid), []);
    assert.equal(await bench.table("cart"), undefined);
    assert.equal(operator.metric("sandbox_cleanup_seconds_count", { namespace }), 1);
    assert.equal(operator.metric("sandbox_count", { namespace, phase: "Running" }), undefined);
    assert.equal(operator.metric("sandbox_count", { namespace, phase: "Terminating" }), undefined);
    assert.equal(operator.registry.expose().includes('sandbox="pr-42"'), false);
    assert.deepEqual(
      operator.lines.filter(({ level }) => level === "error"),
      [],
    );
  });
});
