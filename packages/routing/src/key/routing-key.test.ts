import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { isRoutingKey } from "./routing-key.ts";

describe("isRoutingKey", () => {
  it("agrees with the pattern of keys", () => {
    const text = fc.oneof(
      fc.string({ maxLength: 70 }),
      fc.string({ unit: fc.constantFrom("a", "z", "0", "9", "-"), maxLength: 70 }),
      fc.string({ unit: fc.constantFrom("a", "9", "-", "A", "_", "`", "{", "/", ":"), maxLength: 5 }),
    );

    fc.assert(
      fc.property(text, (value) => {
        assert.equal(isRoutingKey(value), /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/.test(value));
      }),
      { numRuns: 1000 },
    );
  });
});
