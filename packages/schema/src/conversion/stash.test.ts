import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { s } from "../builder/s.ts";
import { applyChanges, findChanges } from "./stash.ts";

const { schema } = s.object({
  name: s.string().optional(),
  size: s.int().default(1),
  inner: s.object({ a: s.int().optional(), b: s.int().optional() }).optional(),
  strict: s.object({ must: s.string(), may: s.string().optional() }).optional(),
  whole: s.object({ x: s.int().optional(), y: s.int().optional() }).atomic().optional(),
  env: s
    .list(s.object({ name: s.string(), value: s.string().optional(), from: s.string().optional() }))
    .mapBy("name")
    .optional(),
  rules: s
    .list(s.object({ a: s.int().optional(), b: s.int().optional() }))
    .atomic()
    .optional(),
  pools: s.map(s.object({ size: s.int().optional(), zone: s.string().optional() })).optional(),
});

function changes(base: object, full: object, raw: object = base) {
  return findChanges(schema, { base, raw, full });
}

describe("findChanges", () => {
  it("returns no changes for equal values, whatever the order of keys", () => {
    assert.deepEqual(changes({ name: "x", size: 1 }, { size: 1, name: "x" }), []);
  });

  it("returns the smallest parts that differ", () => {
    assert.deepEqual(changes({ inner: { a: 1 } }, { inner: { a: 1, b: 2 }, name: "x" }), [
      { at: ["inner", "b"], is: 2 },
      { at: ["name"], is: "x" },
    ]);
    assert.deepEqual(changes({ inner: { a: 1 } }, { inner: { a: 2 } }), [{ at: ["inner", "a"], was: 1, is: 2 }]);
    assert.deepEqual(changes({ name: "x" }, {}), [{ at: ["name"], was: "x" }]);
  });

  it("treats values that a default filled in as missing", () => {
    assert.deepEqual(changes({ size: 1 }, { size: 3 }, {}), [{ at: ["size"], is: 3 }]);
  });

  it("descends into keyed lists and maps", () => {
    assert.deepEqual(
      changes(
        { env: [{ name: "A" }, { name: "B" }], pools: { x: {} } },
        { env: [{ name: "A" }, { name: "B", from: "s" }], pools: { x: { zone: "z" } } },
      ),
      [
        { at: ["env", { name: "B" }, "from"], is: "s" },
        { at: ["pools", "x", "zone"], is: "z" },
      ],
    );
  });

  it("compares atomic values, and lists with different items, as a whole", () => {
    assert.deepEqual(changes({ whole: { x: 1 } }, { whole: { x: 1, y: 2 } }), [
      { at: ["whole"], was: { x: 1 }, is: { x: 1, y: 2 } },
    ]);
    assert.deepEqual(changes({ rules: [{ a: 1 }] }, { rules: [{ a: 1, b: 2 }] }), [
      { at: ["rules"], was: [{ a: 1 }], is: [{ a: 1, b: 2 }] },
    ]);
    assert.deepEqual(changes({ env: [{ name: "A" }] }, { env: [{ name: "B" }, { name: "A" }] }), [
      { at: ["env"], was: [{ name: "A" }], is: [{ name: "B" }, { name: "A" }] },
    ]);
  });

  it("does not overflow the stack on very deep values", () => {
    const nest = (leaf: number): object =>
      Array.from({ length: 20_000 }).reduce<object>((inner) => ({ inner }), { leaf });

    const [change] = changes(nest(1), nest(2));

    assert.equal(change?.at.length, 64);
  });
});

describe("applyChanges", () => {
  it("restores all values if nothing was changed", () => {
    const base = { name: "x", inner: { a: 1 }, env: [{ name: "A", value: "1" }], rules: [{ a: 1 }] };
    const full = {
      inner: { a: 2, b: 3 },
      env: [{ name: "A", value: "1", from: "s" }],
      rules: [{ a: 1, b: 1 }],
      pools: { p: {} },
    };

    const { value, dropped } = applyChanges(schema, base, changes(base, full));

    assert.deepEqual(value, full);
    assert.deepEqual(dropped, []);
    assert.deepEqual(base.inner, { a: 1 }, "the argument stays as it is");
  });

  it("drops changes of fields that have another value now", () => {
    const stash = changes({ inner: { a: 1 }, rules: [{ a: 1 }] }, { inner: { a: 2, b: 3 }, rules: [{ a: 1, b: 9 }] });

    const { value, dropped } = applyChanges(schema, { inner: { a: 7 }, rules: [{ a: 5 }] }, stash);

    assert.deepEqual(value, { inner: { a: 7, b: 3 }, rules: [{ a: 5 }] });
    assert.deepEqual(dropped, ["inner.a", "rules"]);
  });

  it("creates an optional object for fields that only the full version has", () => {
    const stash = changes({ inner: { a: 1 } }, { inner: { a: 1, b: 3 } });

    assert.deepEqual(applyChanges(schema, {}, stash).value, { inner: { b: 3 } });
  });

  it("does not create an object that would lack a required field", () => {
    const stash = changes({ strict: { must: "x" } }, { strict: { must: "x", may: "y" } });

    const { value, dropped } = applyChanges(schema, {}, stash);

    assert.deepEqual(value, {});
    assert.deepEqual(dropped, ["strict"]);
  });

  it("does not restore list items and map keys that were removed", () => {
    const stash = changes(
      { env: [{ name: "A" }], pools: { x: {} } },
      { env: [{ name: "A", from: "s" }], pools: { x: { zone: "z" } } },
    );

    const { value, dropped } = applyChanges(schema, { env: [{ name: "B" }], pools: {} }, stash);

    assert.deepEqual(value, { env: [{ name: "B" }], pools: {} });
    assert.deepEqual(dropped, ["env[name=A].from", "pools.x.zone"]);
  });

  it("does not undo a removal", () => {
    const stash = changes({ name: "short" }, { name: "a longer name" });

    assert.deepEqual(applyChanges(schema, {}, stash).value, {});
  });

  it("is safe with forged paths", () => {
    const hostile = [
      { at: ["__proto__", "polluted"], is: true },
      { at: ["constructor", "prototype", "polluted"], is: true },
      { at: ["inner", "__proto__"], is: { polluted: true } },
    ];

    const { value } = applyChanges(schema, { inner: {} }, hostile);

    assert.equal(Object.hasOwn(Object.prototype, "polluted"), false);
    assert.deepEqual(Object.keys(value), ["inner"]);
    assert.equal(Object.getPrototypeOf(value["inner"]), Object.prototype);
  });
});
