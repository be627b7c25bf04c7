import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { deepFreeze } from "./freeze.ts";
import { anyJson, nest } from "../testing/json-values.ts";

describe("deepFreeze", () => {
  it("returns the same value with everything in it frozen", () => {
    fc.assert(
      fc.property(anyJson(), (value) => {
        const frozen = deepFreeze(value);

        assert.equal(frozen, value);
        assert.ok(isFrozenAllTheWay(frozen));
      }),
    );
  });

  it("makes writes throw at every depth", () => {
    const object = deepFreeze({ spec: { ports: [{ port: 80 }] } });

    assert.throws(() => Object.assign(object.spec.ports[0] ?? {}, { port: 81 }), TypeError);
    assert.throws(() => (object.spec.ports as unknown[]).push({}), TypeError);
  });

  it("freezes the value of an own __proto__, and does not change Object.prototype", () => {
    const value: unknown = JSON.parse('{"__proto__": {"a": {}}}');

    deepFreeze(value);

    assert.ok(isFrozenAllTheWay(value));
    assert.equal(Object.isFrozen(Object.prototype), false);
  });

  it("skips values that are already frozen", () => {
    const inner = {};
    const shared = Object.freeze({ inner });

    deepFreeze({ shared });

    assert.equal(Object.isFrozen(inner), false);
  });

  it("terminates for a value that contains itself", () => {
    const value: { self?: unknown } = {};
    value.self = value;

    deepFreeze(value);

    assert.ok(Object.isFrozen(value));
  });

  it("does not freeze typed arrays", () => {
    const value = { bytes: new Uint8Array([1]) };

    deepFreeze(value);

    assert.ok(Object.isFrozen(value));
  });

  it("freezes values 100,000 levels deep", () => {
    const core = {};

    deepFreeze(nest(100_000, core));

    assert.ok(Object.isFrozen(core));
  });
});

function isFrozenAllTheWay(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozenAllTheWay);
}
