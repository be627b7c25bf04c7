import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { CelFailure } from "../failure.ts";
import { formatType } from "../types/format.ts";
import { equals } from "../values/equality.ts";
import { formatValue } from "../values/format.ts";
import { CelList, CelMap, type CelResult, type CelValue } from "../values/value.ts";
import { fromJson } from "./from-json.ts";
import { escapeName, unescapeName } from "./names.ts";
import { typeOfShape, type JsonShape } from "./shape.ts";
import { sizesOfShape } from "./sizes.ts";

function value(json: unknown, shape: JsonShape): CelValue {
  const result = fromJson(json, shape);
  assert.ok(!(result instanceof CelFailure), result instanceof CelFailure ? result.message : "");
  return result;
}

function messageOf(result: CelResult | undefined): string {
  assert.ok(result instanceof CelFailure);
  return result.message;
}

describe("JSON scalars", () => {
  it("are converted by their shape", () => {
    assert.equal(value(3, { kind: "int" }), 3n);
    assert.equal(value(3, { kind: "double" }), 3);
    assert.equal(value(12n, { kind: "int" }), 12n);
    assert.equal(value("5%", { kind: "intOrString" }), "5%");
    assert.equal(value(5, { kind: "intOrString" }), 5n);
    assert.equal(formatValue(value("2026-01-02", { kind: "date" })), "2026-01-02T00:00:00Z");
    assert.equal(formatValue(value("2026-01-02T03:04:05", { kind: "timestamp" })), "2026-01-02T03:04:05Z");
    assert.equal(formatValue(value("2 days 3 hours", { kind: "duration" })), "183600s");
    assert.deepEqual(value("aGk_", { kind: "bytes" }), Uint8Array.from([104, 105, 63]));
  });

  it("result in a failure with the expected type if they do not match the shape", () => {
    assert.equal(messageOf(fromJson("a", { kind: "int" })), "invalid data, expected int, got string");
    assert.equal(messageOf(fromJson(1.5, { kind: "int" })), "invalid data, expected int, got float64");
    assert.equal(
      messageOf(fromJson({}, { kind: "string" })),
      "invalid data, expected string, got map[string]interface {}",
    );
    assert.equal(
      messageOf(fromJson(null, { kind: "string" })),
      "invalid data, got null for schema with nullable=false",
    );
    assert.match(messageOf(fromJson("a+b/", { kind: "bytes" })), /illegal base64 data at input byte 1/);
  });

  it("without a shape are converted to int if they are integers", () => {
    assert.equal(formatValue(fromJson({ a: [1, 1.5, "x", null, true] })), "{a: [1, 1.5, x, null, true]}");
  });
});

describe("JSON objects", () => {
  const shape: JsonShape = {
    kind: "object",
    properties: new Map<string, JsonShape>([
      ["foo-bar", { kind: "string" }],
      ["namespace", { kind: "string", nullable: true }],
      ["rest", { kind: "preserved" }],
    ]),
  };

  it("have declared properties under escaped names, without those that are null", () => {
    const object = value({ "foo-bar": "x", namespace: null, other: 1 }, shape);

    assert.ok(object instanceof CelMap);
    assert.equal(object.find("foo__dash__bar"), "x");
    assert.equal(object.find("__namespace__"), undefined);
    assert.equal(object.find("other"), undefined);
    assert.equal(object.size, 3, "undeclared properties count");
  });

  it("have a type without properties that expressions cannot access", () => {
    const type = typeOfShape(shape, "Self");

    assert.ok(type?.kind === "object");
    assert.deepEqual([...type.fields.keys()], ["foo__dash__bar", "__namespace__"]);
    assert.equal(formatType(typeOfShape({ kind: "list", items: shape }, "Self") ?? type), "list(Self.@idx)");
  });

  it("are equal only if their inaccessible properties are equal too", () => {
    const same = value({ rest: { a: [1] }, other: { b: 1 } }, shape);

    assert.equal(equals(same, value({ rest: { a: [1] }, other: { b: 1 } }, shape)), true);
    assert.equal(equals(same, value({ rest: { a: [2] }, other: { b: 1 } }, shape)), false);
    assert.equal(equals(same, value({ rest: { a: [1] }, other: { b: 2 } }, shape)), false);
  });

  it("do not have inherited properties", () => {
    const map = value({ a: 1 }, { kind: "map", values: { kind: "int" } });

    assert.ok(map instanceof CelMap);
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      assert.equal(map.find(name), undefined, name);
    }
    const odd = fromJson(JSON.parse('{"__proto__": 1}'));
    assert.ok(odd instanceof CelMap);
    assert.equal(odd.find("__proto__"), 1n);
  });
});

describe("JSON lists", () => {
  const set: JsonShape = { kind: "list", items: { kind: "string" }, listType: "set" };
  const map: JsonShape = {
    kind: "list",
    listType: "map",
    mapKeys: ["name"],
    items: {
      kind: "object",
      properties: new Map<string, JsonShape>([
        ["name", { kind: "string" }],
        ["v", { kind: "int" }],
      ]),
    },
  };

  it("are compared and merged as sets for list type set", () => {
    assert.equal(equals(value(["a", "b"], set), value(["b", "a"], set)), true);
    assert.equal(equals(value(["a", "b"], set), value(["b", "c"], set)), false);
    const list: JsonShape = { kind: "list", items: { kind: "string" } };
    assert.equal(equals(value(["a", "b"], list), value(["b", "a"], list)), false);
  });

  it("are compared and merged by key for list type map", () => {
    const left = value(
      [
        { name: "a", v: 1 },
        { name: "b", v: 2 },
      ],
      map,
    );
    const right = value(
      [
        { name: "b", v: 3 },
        { name: "c", v: 4 },
      ],
      map,
    );

    assert.ok(left instanceof CelList && right instanceof CelList);
    assert.equal(
      equals(
        left,
        value(
          [
            { name: "b", v: 2 },
            { name: "a", v: 1 },
          ],
          map,
        ),
      ),
      true,
    );
    assert.equal(formatValue(left.customConcat(right) ?? null), "[{name: a, v: 1}, {name: b, v: 3}, {name: c, v: 4}]");
  });

  it("cannot be compared with other types", () => {
    assert.equal(
      messageOf(equals(value([1], { kind: "list", items: { kind: "int" } }), 1n) as CelResult),
      "no such overload",
    );
  });
});

describe("escapeName and unescapeName", () => {
  it("escape names as the API server does", () => {
    const names: Readonly<Record<string, string | undefined>> = {
      plain: "plain",
      "foo-bar": "foo__dash__bar",
      "a.b/c": "a__dot__b__slash__c",
      a__b: "a__underscores__b",
      namespace: "__namespace__",
      in: "__in__",
      "1a": undefined,
      "": undefined,
      "a b": undefined,
      ä: undefined,
    };

    for (const [name, escaped] of Object.entries(names)) assert.equal(escapeName(name), escaped, name);
  });

  it("are inverse to each other", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z_./-][a-z0-9_./-]{0,12}$/), (name) => {
        const escaped = escapeName(name);
        return escaped === undefined || unescapeName(escaped) === name || /_{3}/.test(name);
      }),
    );
    assert.equal(unescapeName("a__what__b"), undefined);
  });
});

describe("sizesOfShape", () => {
  it("returns the maximum size of the value at a path", () => {
    const sizes = sizesOfShape({
      kind: "object",
      properties: new Map<string, JsonShape>([
        ["list", { kind: "list", maxElements: 7, items: { kind: "string", maxElements: 40 } }],
        ["map", { kind: "map", maxElements: 5, values: { kind: "int" } }],
      ]),
    });
    const type = typeOfShape({ kind: "int" }, "") ?? { kind: "dyn" };

    assert.deepEqual(sizes(["self"], type), { min: 0, max: 0 });
    assert.deepEqual(sizes(["self", "list"], type), { min: 0, max: 7 });
    assert.deepEqual(sizes(["self", "list", "@items"], type), { min: 0, max: 40 });
    assert.deepEqual(sizes(["self", "map", "@values"], type), { min: 0, max: 0 });
    assert.deepEqual(sizes(["self", "map", "@keys"], type), { min: 0, max: 0 });
    assert.equal(sizes(["self", "missing"], type), undefined);
    assert.equal(sizes(["self", "list", "@keys"], type), undefined);
  });
});
