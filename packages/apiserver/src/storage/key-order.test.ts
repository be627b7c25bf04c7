import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { anyText } from "@homeostat/fuzz/any-text";
import fc from "fast-check";
import { endOfPrefix, orderOf } from "./key-order.ts";

describe("orderOf", () => {
  it("sorts keys by their UTF-8 bytes", () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        const [left, right] = [orderOf(a), orderOf(b)];

        const ours = left < right ? -1 : left > right ? 1 : 0;

        assert.equal(ours, Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
      { numRuns: 2000, seed: 1 },
    );
  });

  it("sorts a dash before a slash, so namespaces interleave as in etcd", () => {
    const keys = ["pods/a/x", "pods/a-b/x", "pods/a.b/x", "pods/ab/x"];

    const inOrder = keys.toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));

    assert.deepEqual(inOrder, ["pods/a-b/x", "pods/a.b/x", "pods/a/x", "pods/ab/x"]);
  });

  it("ends a prefix range after every key with the prefix and before all others", () => {
    fc.assert(
      fc.property(anyText, anyText, (prefix, rest) => {
        const end = endOfPrefix(orderOf(prefix));

        if (end !== undefined) {
          assert.ok(orderOf(prefix + rest) < end);
          if (!rest.startsWith(prefix) && orderOf(rest) > orderOf(prefix)) assert.ok(orderOf(rest) >= end);
        }
      }),
      { numRuns: 2000, seed: 1 },
    );
    assert.equal(endOfPrefix(""), undefined);
  });
});
