import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { groupState, sandboxLines, sandboxState, tableState } from "./lines.ts";

describe("lines about a sandbox", () => {
  it("give the phase, and the message of a failure", () => {
    assert.equal(sandboxState({ status: undefined }), "Pending");
    assert.equal(sandboxState({ status: { phase: "Running" } }), "Running");
    const ready = {
      type: "Ready",
      status: "False",
      reason: "BaselineMissing",
      message: "Deployment shop/cart does not exist",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    } as const;
    assert.equal(
      sandboxState({ status: { phase: "Failed", conditions: [ready] } }),
      "Failed: Deployment shop/cart does not exist",
    );
  });

  it("give the routing key and the address of each fork", () => {
    const services = [
      { name: "cart", status: "Ready" as const, readyReplicas: 1, replicas: 2, endpoint: "http://cart-1.shop.svc:80" },
    ];

    assert.deepEqual(sandboxLines({ status: { phase: "Running", routingKey: "pr-42", services } }), [
      "routing key: pr-42",
      "fork of cart: 1/2 ready at http://cart-1.shop.svc:80",
    ]);
  });
});

describe("the state of a group", () => {
  it("is its key and its sandboxes", () => {
    assert.equal(groupState({ status: undefined }), "created");
    assert.equal(groupState({ status: { routingKey: "all" } }), "key all for no sandbox");
    assert.equal(groupState({ status: { routingKey: "all", matchedSandboxes: ["a", "b"] } }), "key all for a, b");
  });
});

describe("the state of a route table", () => {
  it("is the list of its routes", () => {
    const entries = [
      { routingKey: "pr-42", sandbox: "pr-42", workload: "cart" },
      { routingKey: "all", sandbox: "pr-42", workload: "cart" },
    ];

    assert.equal(tableState({ spec: { entries: [] } }), "no routes");
    assert.equal(tableState({ spec: { entries } }), "key pr-42 to cart of pr-42, key all to cart of pr-42");
  });
});
