import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Item, itemFromText, ownersOf } from "./item.ts";

function ownersIn(metadata: object): ReturnType<typeof ownersOf> {
  return ownersOf(itemFromText(new Item(), JSON.stringify({ metadata: { name: "a", ...metadata }, spec: {} })));
}

describe("ownersOf", () => {
  const owner = { apiVersion: "v1", kind: "Shop", name: 'b]"', uid: "u", controller: true };

  it("reads only the owners of an object, frozen", () => {
    const owners = ownersIn({ ownerReferences: [owner], labels: { ownerReferences: "x" } });

    assert.deepEqual(owners, [owner]);
    assert.ok(Object.isFrozen(owners) && Object.isFrozen(owners[0]));
  });

  it("returns an empty list for an object without owners", () => {
    assert.deepEqual(ownersIn({}), []);
    assert.deepEqual(ownersIn({ ownerReferences: null }), []);
    assert.deepEqual(ownersIn({ annotations: { a: '"ownerReferences":[1]' } }), []);
  });

  it("returns undefined if the list is not valid JSON", () => {
    const item = itemFromText(new Item(), '{"metadata":{"name":"a","ownerReferences":[nonsense]}}');

    assert.equal(ownersOf(item), undefined);
  });
});
