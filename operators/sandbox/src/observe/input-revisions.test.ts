import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KubeObject } from "@homeostat/core";
import { InputRevisions } from "./input-revisions.ts";

const table = "shop/cart";

function sandbox(metadata: Partial<KubeObject["metadata"]> = {}): KubeObject {
  return {
    apiVersion: "sandbox.example.com/v1alpha1",
    kind: "Sandbox",
    metadata: { name: "pr-1", namespace: "shop", uid: "u1", generation: 1, ...metadata },
  };
}

describe("InputRevisions", () => {
  const start = (): InputRevisions => {
    const inputs = new InputRevisions();
    inputs.update("Sandbox", "shop/pr-1", sandbox());
    inputs.contribute(table, [{ kind: "Sandbox", key: "shop/pr-1" }]);
    return inputs;
  };

  it("grow with each change by a user, also when the object returns to an earlier state", () => {
    const inputs = start();
    const seen = [inputs.of(table)];
    for (const labels of [{ team: "a" }, {}, { team: "a" }, {}]) {
      assert.equal(inputs.update("Sandbox", "shop/pr-1", sandbox({ labels })), true);
      seen.push(inputs.of(table));
    }

    assert.equal(new Set(seen).size, 5);
  });

  it("stay the same when only the status changes", () => {
    const inputs = start();
    const before = inputs.of(table);

    assert.equal(inputs.update("Sandbox", "shop/pr-1", sandbox({ resourceVersion: "7" })), false);
    assert.equal(inputs.of(table), before);
  });

  it("count the deletion of an object that contributed before, and changes that decide about it", () => {
    const inputs = start();
    const first = inputs.of(table);
    inputs.update("Sandbox", "shop/pr-1", undefined);
    const second = inputs.of(table);
    inputs.touch({ kind: "Sandbox", key: "shop/pr-1" });

    assert.equal(new Set([first, second, inputs.of(table)]).size, 3);
    assert.equal(inputs.sandboxKey("u1"), "shop/pr-1");
  });

  it("ignore objects of other tables", () => {
    const inputs = start();
    const before = inputs.of(table);
    inputs.update("Sandbox", "shop/pr-2", sandbox({ name: "pr-2", uid: "u2" }));

    assert.equal(inputs.of(table), before);
  });
});
