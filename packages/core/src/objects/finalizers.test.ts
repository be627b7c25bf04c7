import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { deepFreeze } from "../value/freeze.ts";
import { addFinalizer, hasFinalizer, removeFinalizer } from "./finalizers.ts";
import type { KubeObject, ObjectMeta } from "./object.ts";

const cleanup = "example.com/cleanup";

function shop(metadata: ObjectMeta = {}): KubeObject {
  return deepFreeze<KubeObject>({ apiVersion: "example.com/v1", kind: "Shop", metadata }) as KubeObject;
}

describe("finalizers", () => {
  it("are appended once without changing the original", () => {
    const object = shop({ finalizers: ["foregroundDeletion"] });

    const held = addFinalizer(object, cleanup);

    assert.deepEqual(held.metadata.finalizers, ["foregroundDeletion", cleanup]);
    assert.deepEqual(object.metadata.finalizers, ["foregroundDeletion"]);
    assert.equal(addFinalizer(held, cleanup), held);
    assert.equal(hasFinalizer(held, cleanup), true);
    assert.equal(hasFinalizer(object, cleanup), false);
    assert.deepEqual(addFinalizer(shop(), cleanup).metadata.finalizers, [cleanup]);
  });

  it("are removed without changing the order of the others", () => {
    const object = shop({ finalizers: ["a.example.com/a", cleanup, "b.example.com/b"] });

    assert.deepEqual(removeFinalizer(object, cleanup).metadata.finalizers, ["a.example.com/a", "b.example.com/b"]);
    assert.equal(removeFinalizer(object, "c.example.com/c"), object);
    assert.deepEqual(removeFinalizer(shop({ finalizers: ["orphan"] }), "orphan").metadata.finalizers, []);
  });

  it("cannot be added to an object that is being deleted", () => {
    const dying = { deletionTimestamp: "2026-01-01T00:00:00Z" };

    assert.throws(() => addFinalizer(shop(dying), cleanup), { code: "ARGUMENT", argument: "object" });
    const held = shop({ ...dying, finalizers: [cleanup] });
    assert.equal(addFinalizer(held, cleanup), held);
    assert.deepEqual(removeFinalizer(held, cleanup).metadata.finalizers, []);
  });

  for (const name of [
    "",
    "cleanup",
    "/cleanup",
    "example.com/",
    "example.com/a/b",
    "Example.com/a",
    "example.com/a b",
  ]) {
    it(`cannot have the name ${JSON.stringify(name)}`, () => {
      assert.throws(() => addFinalizer(shop(), name), { code: "ARGUMENT", argument: "finalizer" });
    });
  }
});
