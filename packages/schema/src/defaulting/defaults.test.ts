import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readSchema } from "../structural/read-schema.ts";
import type { Schema } from "../structural/schema.ts";
import { compileDefaulter } from "./defaults.ts";
import { compileNullDropper } from "./nulls.ts";

function fill(schema: Schema, value: unknown): unknown {
  return compileDefaulter(readSchema(schema, "").node)(value);
}

function dropNulls(schema: Schema, value: unknown): unknown {
  return compileNullDropper(readSchema(schema, "").node)(value);
}

function object(properties: { readonly [name: string]: Schema }): Schema {
  return { type: "object", properties };
}

describe("compileDefaulter", () => {
  it("sets missing fields and keeps existing ones", () => {
    const schema = object({
      a: { type: "integer", default: 1 },
      b: { type: "string", default: "x" },
      c: { type: "boolean" },
    });

    assert.deepEqual(fill(schema, { a: 5 }), { a: 5, b: "x" });
    assert.deepEqual(fill(schema, { a: 0, b: "" }), { a: 0, b: "" });
  });

  it("does not create a missing object unless it has a default itself", () => {
    const inner = object({ a: { type: "integer", default: 1 } });

    assert.deepEqual(fill(object({ o: inner }), {}), {});
    assert.deepEqual(fill(object({ o: { ...inner, default: {} } }), {}), { o: { a: 1 } });
    assert.deepEqual(fill(object({ o: { ...inner, default: { a: 2 } } }), {}), { o: { a: 2 } });
  });

  it("replaces null in fields that are not nullable", () => {
    const schema = object({ a: { type: "integer", default: 1 }, b: { type: "integer", default: 1, nullable: true } });

    assert.deepEqual(fill(schema, { a: null, b: null }), { a: 1, b: null });
  });

  it("applies defaults to the elements of lists and maps", () => {
    const element = { ...object({ a: { type: "integer", default: 1 } }), default: { a: 3 } };
    const schema = object({
      l: { type: "array", items: element },
      m: { type: "object", additionalProperties: element },
    });

    assert.deepEqual(fill(schema, { l: [{}, null, { a: 2 }], m: { x: {}, y: null } }), {
      l: [{ a: 1 }, { a: 3 }, { a: 2 }],
      m: { x: { a: 1 }, y: { a: 3 } },
    });
  });

  it("copies the default for every object", () => {
    const fallback = { list: [1] };
    const filler = compileDefaulter(readSchema(object({ o: { type: "object", default: fallback } }), "").node);
    const first = filler({}) as { o: { list: number[] } };

    first.o.list.push(2);

    assert.deepEqual(filler({}), { o: { list: [1] } });
    assert.deepEqual(fallback, { list: [1] });
  });

  it("shares unchanged parts and does not modify its argument", () => {
    const schema = object({ a: { type: "integer", default: 1 }, b: { type: "object" } });
    const value = Object.freeze({ b: Object.freeze({ x: 1 }) });

    const filled = fill(schema, value) as { b: object };

    assert.equal(filled.b, value.b);
    const full = { a: 1, b: {} };
    assert.equal(fill(schema, full), full);
  });

  it("handles a field named __proto__ like any other", () => {
    const schema = JSON.parse(
      '{"type": "object", "properties": {"__proto__": {"type": "object", "default": {"a": 1}}}}',
    ) as Schema;

    const filled = fill(schema, {});

    assert.equal(JSON.stringify(filled), '{"__proto__":{"a":1}}');
    assert.equal(Object.getPrototypeOf(filled), Object.prototype);
  });
});

describe("compileNullDropper", () => {
  it("drops nulls of fields that are not nullable and have no default", () => {
    const schema = object({
      plain: { type: "string" },
      nullable: { type: "string", nullable: true },
      defaulted: { type: "string", default: "x" },
      map: { type: "object", additionalProperties: { type: "string" } },
      list: { type: "array", items: object({ a: { type: "string" } }) },
    });
    const value = {
      plain: null,
      nullable: null,
      defaulted: null,
      unknown: null,
      map: { k: null },
      list: [null, { a: null }],
    };

    assert.deepEqual(dropNulls(schema, value), {
      nullable: null,
      defaulted: null,
      unknown: null,
      map: {},
      list: [null, {}],
    });
  });
});
