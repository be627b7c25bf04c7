import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type KubeObject, ParseError } from "@homeostat/core";
import { Item, itemFromText } from "./item.ts";
import { ObjectStore } from "./object-store.ts";

function item(metadata: object, rest: object = {}): Item {
  const stored = { uid: "u", resourceVersion: "1", ...metadata };
  return itemFromText(new Item(), JSON.stringify({ apiVersion: "v1", kind: "Thing", metadata: stored, ...rest }));
}

function newStore(): ObjectStore<KubeObject> {
  return new ObjectStore<KubeObject>({ parse: (text) => JSON.parse(text) as KubeObject });
}

describe("ObjectStore", () => {
  it("finds every object by namespace and name, for any names", () => {
    const name = fc.oneof(
      fc.string({ unit: "binary", minLength: 1, maxLength: 8 }),
      fc.constantFrom("__proto__", "constructor", '"', "\\", "a/b", "é", "\u0001"),
    );
    const object = fc.record({
      namespace: fc.oneof(fc.constant(""), name),
      name,
      uid: fc.oneof(fc.constantFrom("u", "uu", "é"), fc.uuid()),
      resourceVersion: fc.oneof(
        fc.nat().map(String),
        fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n }).map(String),
        fc.constant("opaque"),
      ),
      isRemoved: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(object, { maxLength: 40 }), (objects) => {
        const store = newStore();
        const model = new Map<string, { uid: string; resourceVersion: string; namespace: string; name: string }>();

        for (const { isRemoved, ...metadata } of objects) {
          const slot = store.find(metadata.namespace, metadata.name);
          const key = JSON.stringify([metadata.namespace, metadata.name]);
          assert.equal(slot >= 0, model.has(key));
          if (isRemoved && slot >= 0) {
            store.remove(slot);
            model.delete(key);
          } else if (slot >= 0) {
            assert.equal(store.hasUidOf(slot, item(metadata)), model.get(key)?.uid === metadata.uid);
            store.replace(slot, item(metadata));
            model.set(key, metadata);
          } else {
            store.insert(item(metadata));
            model.set(key, metadata);
          }
          store.compact();
        }

        assert.equal(store.size, model.size);
        assert.equal([...store.slots()].length, model.size);
        for (const { uid, resourceVersion, namespace, name } of model.values()) {
          const slot = store.find(namespace, name);
          assert.equal(store.uidOf(slot), uid);
          assert.equal(String(store.versionOf(slot)), resourceVersion === "opaque" ? "undefined" : resourceVersion);
          assert.deepEqual(store.objectOf(slot).metadata, { uid, resourceVersion, namespace, name });
          assert.ok([...store.slots(namespace)].includes(slot));
        }
      }),
    );
  });

  it("returns the same frozen object to all readers", () => {
    const store = newStore();
    const slot = store.insert(item({ name: "a", labels: { app: "web" } }));

    const object = store.objectOf(slot);

    assert.equal(store.objectOf(slot), object);
    assert.ok(Object.isFrozen(object.metadata.labels));
    assert.throws(() => Object.assign(object.metadata, { name: "b" }), TypeError);
  });

  it("drops a parsed object when it changes and when many others are read", () => {
    const store = new ObjectStore<KubeObject>({
      parse: (text) => JSON.parse(text) as KubeObject,
      memo: { countMax: 2 },
    });
    const slots = ["a", "b", "c"].map((name) => store.insert(item({ name })));
    const [first = -1, second = -1, third = -1] = slots;

    store.objectOf(first);
    store.objectOf(second);
    store.objectOf(first);
    store.objectOf(third);

    assert.deepEqual(
      slots.map((slot) => store.parsedOf(slot) !== undefined),
      [true, false, true],
    );
    store.replace(first, item({ name: "a", generation: 2 }));
    assert.equal(store.objectOf(first).metadata.generation, 2);
    for (const slot of slots) store.objectForScan(slot);
    assert.equal(store.parsedOf(second), undefined, "a scan does not change the memo");
  });

  it("drops its parsed objects on request and parses them again", () => {
    const store = newStore();
    const slot = store.insert(item({ name: "a" }));
    const before = store.objectOf(slot);

    store.releaseParsed();

    assert.equal(store.parsedOf(slot), undefined);
    assert.deepEqual(store.objectOf(slot), before);
  });

  it("names the object that could not be parsed", () => {
    const store = newStore();
    const broken = itemFromText(new Item(), '{"metadata":{"namespace":"default","name":"web"},nonsense}');
    const slot = store.insert(broken);

    assert.throws(
      () => store.objectOf(slot),
      (error: unknown) => error instanceof ParseError && error.message.includes("object default/web"),
    );
  });

  it("compares bytes with the stored ones", () => {
    const store = newStore();
    const slot = store.insert(item({ name: "a", managedFields: [{ manager: "x" }], labels: { a: "1" } }));

    assert.ok(store.hasBytesOf(slot, item({ name: "a", managedFields: [{ manager: "y" }], labels: { a: "1" } })));
    assert.ok(!store.hasBytesOf(slot, item({ name: "a", labels: { a: "2" } })));
    assert.ok(!store.hasBytesOf(slot, item({ name: "a", labels: { a: "1" } }, { more: 1 })));
  });

  it("counts the bytes of its objects", () => {
    const store = newStore();
    const one = item({ name: "a" }, { data: "x".repeat(1000) });

    store.insert(one);

    assert.equal(store.liveBytes, one.bytes.length);
    assert.ok(store.heldBytes >= store.liveBytes);
  });
});
