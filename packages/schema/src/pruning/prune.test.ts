import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Schema } from "../structural/schema.ts";
import { readSchema } from "../structural/read-schema.ts";
import { compilePruner } from "./prune.ts";

function prune(schema: Schema, value: unknown): { value: unknown; dropped: string[] } {
  const dropped: string[] = [];
  const pruner = compilePruner(readSchema(schema, "").node, { isResource: true });
  return { value: pruner(value, dropped), dropped };
}

const keeps = { "x-kubernetes-preserve-unknown-fields": true } as const;

describe("compilePruner", () => {
  it("drops unknown fields and returns their paths", () => {
    const schema: Schema = {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: {
            ports: { type: "array", items: { type: "object", properties: { port: { type: "integer" } } } },
          },
        },
      },
    };

    const result = prune(schema, { spec: { ports: [{ port: 1, x: 1 }, { y: 2 }], z: {} }, other: 1 });

    assert.deepEqual(result.value, { spec: { ports: [{ port: 1 }, {}] } });
    assert.deepEqual(result.dropped, ["other", "spec.ports[0].x", "spec.ports[1].y", "spec.z"]);
  });

  it("keeps apiVersion, kind and metadata of a resource", () => {
    const object = { apiVersion: "v1", kind: "K", metadata: { name: "x", anything: 1 } };

    const result = prune({ type: "object" }, object);

    assert.equal(result.value, object, "nothing to drop, nothing to copy");
    assert.deepEqual(result.dropped, []);
  });

  it("preserves unknown fields if the schema says so, but prunes again below a declared field", () => {
    const schema: Schema = {
      type: "object",
      properties: {
        spec: {
          type: "object",
          ...keeps,
          properties: { known: { type: "object", properties: { a: { type: "string" } } } },
        },
      },
    };

    const result = prune(schema, { spec: { x: { y: 1 }, known: { a: "", b: "" } } });

    assert.deepEqual(result.value, { spec: { x: { y: 1 }, known: { a: "" } } });
    assert.deepEqual(result.dropped, ["spec.known.b"]);
  });

  it("preserves unknown fields of list items if the list does", () => {
    const schema: Schema = {
      type: "object",
      properties: { l: { type: "array", ...keeps, items: { type: "object" } } },
    };

    assert.deepEqual(prune(schema, { l: [{ a: 1 }, [{ b: 2 }]] }).value, { l: [{ a: 1 }, [{ b: 2 }]] });
  });

  it("keeps the keys of a map, and drops the fields of values that no schema describes", () => {
    const typed: Schema = {
      type: "object",
      properties: {
        m: { type: "object", additionalProperties: { type: "object", properties: { a: { type: "integer" } } } },
      },
    };
    const untyped: Schema = { type: "object", properties: { m: { type: "object", additionalProperties: true } } };
    const value = { m: { k: { a: 1, b: 2 }, l: [[{ c: 3 }]] } };

    assert.deepEqual(prune(typed, value).value, { m: { k: { a: 1 }, l: [[{}]] } });
    assert.deepEqual(prune(untyped, value).value, { m: { k: {}, l: [[{}]] } });
    assert.deepEqual(prune(untyped, value).dropped, ["m.k.a", "m.k.b", "m.l[0][0].c"]);
  });

  it("keeps apiVersion, kind and metadata of an embedded resource", () => {
    const schema: Schema = {
      type: "object",
      properties: {
        e: { type: "object", "x-kubernetes-embedded-resource": true, properties: { spec: { type: "object" } } },
      },
    };
    const value = { e: { apiVersion: "v1", kind: "K", metadata: { x: 1 }, spec: { y: 1 }, z: 1 } };

    const result = prune(schema, value);

    assert.deepEqual(result.value, { e: { apiVersion: "v1", kind: "K", metadata: { x: 1 }, spec: {} } });
    assert.deepEqual(result.dropped, ["e.spec.y", "e.z"]);
  });

  it("does not modify its argument", () => {
    const value = Object.freeze({ a: Object.freeze({ b: Object.freeze([Object.freeze({ c: 1 })]) }) });
    const schema: Schema = {
      type: "object",
      properties: { a: { type: "object", properties: { b: { type: "array", items: { type: "object" } } } } },
    };

    assert.deepEqual(prune(schema, value).value, { a: { b: [{}] } });
  });

  it("treats __proto__ and constructor like any other name", () => {
    const value: unknown = JSON.parse('{"spec": {"__proto__": {"a": 1, "b": 2}, "constructor": 1}}');
    const schema = JSON.parse(
      '{"type": "object", "properties": {"spec": {"type": "object", "properties": {"__proto__": {"type": "object", "properties": {"a": {"type": "integer"}}}}}}}',
    ) as Schema;

    const result = prune(schema, value);

    assert.equal(JSON.stringify(result.value), '{"spec":{"__proto__":{"a":1}}}');
    assert.deepEqual(result.dropped, ["spec.__proto__.b", "spec.constructor"]);
  });

  it("drops undefined properties without reporting them", () => {
    assert.deepEqual(prune({ type: "object", properties: { a: { type: "string" } } }, { a: undefined, b: undefined }), {
      value: {},
      dropped: [],
    });
  });

  it("reports more unknown fields than a function call can have arguments", () => {
    const fields = Object.fromEntries(Array.from({ length: 300_000 }, (_, n) => [`f${n}`, 1]));

    const { value, dropped } = prune({ type: "object", properties: { spec: { type: "object" } } }, { spec: fields });

    assert.deepEqual(value, { spec: {} });
    assert.equal(dropped.length, 300_000);
  });

  it("does not overflow the stack on very deep lists", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    const schema: Schema = { type: "object", properties: { m: { type: "object", additionalProperties: true } } };

    assert.doesNotThrow(() => prune(schema, { m: { deep } }));
  });
});
