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

describe("the changes of a stash", () => {
  it("are none between equal values, in whatever order their keys are", () => {
    assert.deepEqual(changes({ name: "x", size: 1 }, { size: 1, name: "x" }), []);
  });

  it("name the smallest part that differs", () => {
    assert.deepEqual(changes({ inner: { a: 1 } }, { inner: { a: 1, b: 2 }, name: "x" }), [
      { at: ["inner", "b"], is: 2 },
      { at: ["name"], is: "x" },
    ]);
    assert.deepEqual(changes({ inner: { a: 1 } }, { inner: { a: 2 } }), [{ at: ["inner", "a"], was: 1, is: 2 }]);
    assert.deepEqual(changes({ name: "x" }, {}), [{ at: ["name"], was: "x" }]);
  });

  it("count what a default filled in as absent", () => {
    assert.deepEqual(changes({ size: 1 }, { size: 3 }, {}), [{ at: ["size"], is: 3 }]);
  });

  it("reach into keyed lists and maps", () => {
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

  it("take atomic parts, and lists whose items differ, as wholes", () => {
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

  it("do not overflow on parts that are nested without end", () => {
    const nest = (leaf: number): object =>
      Array.from({ length: 20_000 }).reduce<object>((inner) => ({ inner }), { leaf });

    const [change] = changes(nest(1), nest(2));

    assert.equal(change?.at.length, 64);
  });
});

describe("making changes again", () => {
  it("puts everything back on what did not change", () => {
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

  it("gives way where something else stands now", () => {
    const stash = changes({ inner: { a: 1 }, rules: [{ a: 1 }] }, { inner: { a: 2, b: 3 }, rules: [{ a: 1, b: 9 }] });

    const { value, dropped } = applyChanges(schema, { inner: { a: 7 }, rules: [{ a: 5 }] }, stash);

    assert.deepEqual(value, { inner: { a: 7, b: 3 }, rules: [{ a: 5 }] });
    assert.deepEqual(dropped, ["inner.a", "rules"]);
  });

  it("makes an optional object anew for what only the full version knows", () => {
    const stash = changes({ inner: { a: 1 } }, { inner: { a: 1, b: 3 } });

    assert.deepEqual(applyChanges(schema, {}, stash).value, { inner: { b: 3 } });
  });

  it("does not make an object that would lack a required field", () => {
    const stash = changes({ strict: { must: "x" } }, { strict: { must: "x", may: "y" } });

    const { value, dropped } = applyChanges(schema, {}, stash);

    assert.deepEqual(value, {});
    assert.deepEqual(dropped, ["strict"]);
  });

  it("does not bring back items and keys that were removed", () => {
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

  it("is safe from paths made up by somebody", () => {
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
