import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Item, itemFromText, ownersOf } from "./item.ts";

function ownersIn(metadata: object): ReturnType<typeof ownersOf> {
  return ownersOf(itemFromText(new Item(), JSON.stringify({ metadata: { name: "a", ...metadata }, spec: {} })));
}

describe("ownersOf", () => {
  const owner = { apiVersion: "v1", kind: "Shop", name: 'b]"', uid: "u", controller: true };

  it("reads the owners of an object, frozen, and nothing else of it", () => {
    const owners = ownersIn({ ownerReferences: [owner], labels: { ownerReferences: "x" } });

    assert.deepEqual(owners, [owner]);
    assert.ok(Object.isFrozen(owners) && Object.isFrozen(owners[0]));
  });

  it("finds none where there are none", () => {
    assert.deepEqual(ownersIn({}), []);
    assert.deepEqual(ownersIn({ ownerReferences: null }), []);
    assert.deepEqual(ownersIn({ annotations: { a: '"ownerReferences":[1]' } }), []);
  });

  it("does not guess when the list is no JSON", () => {
    const item = itemFromText(new Item(), '{"metadata":{"name":"a","ownerReferences":[nonsense]}}');

    assert.equal(ownersOf(item), undefined);
  });
});
