import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { digestOf, roughDigestOf } from "./digest.ts";

const field = fc.record({ path: fc.constantFrom("spec.a", "spec.b", "status"), after: fc.jsonValue({ maxDepth: 3 }) });

describe("roughDigestOf", () => {
  it("distinguishes changes like digestOf, independent of the order of keys", () => {
    fc.assert(
      fc.property(fc.array(field, { maxLength: 4 }), fc.array(field, { maxLength: 4 }), (some, others) => {
        const isSame = digestOf(some) === digestOf(others);

        assert.equal(roughDigestOf(some) === roughDigestOf(others), isSame);
      }),
      { numRuns: 1000 },
    );
    assert.equal(
      roughDigestOf([{ path: "spec", after: { a: 1, b: [2] } }]),
      roughDigestOf([{ path: "spec", after: { b: [2], a: 1 } }]),
    );
  });
});
