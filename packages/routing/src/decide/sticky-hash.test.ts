import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bucketCount, stickyBucket } from "./sticky-hash.ts";

describe("stickyBucket", () => {
  // The examples of docs/reference/routing.md, computed by another implementation. A change would move callers to the other side of splits.
  const examples: readonly [value: string, bucket: number][] = [
    ["", 8923],
    ["a", 1715],
    ["foobar", 1276],
    ["\u00ff", 9549],
    ["10.0.3.7", 2714],
    ["2001:db8::1", 3818],
    ["user-1", 5916],
    ["user-2", 1105],
    ["0af7651916cd43dd8448eb211c80319c", 911],
    ["4bf92f3577b34da6a3ce929d0e0e4736", 9378],
  ];
  for (const [value, bucket] of examples) {
    it(`of ${JSON.stringify(value)} is ${bucket}`, () => assert.equal(stickyBucket(value), bucket));
  }

  it("spreads similar values evenly", () => {
    const parts = 100;
    const count = 20_000;
    for (const nameOf of [(n: number) => `user-${n}`, (n: number) => n.toString(16).padStart(32, "0")]) {
      const counts = Array.from({ length: parts }, () => 0);

      for (let n = 0; n < count; n += 1) {
        const part = Math.floor((stickyBucket(nameOf(n)) * parts) / bucketCount);
        counts[part] = (counts[part] ?? 0) + 1;
      }

      // The chi-squared distribution with 99 degrees of freedom exceeds 149 with a probability of 0.1 %.
      const expected = count / parts;
      const deviation = counts.reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
      assert.ok(deviation < 149, `${deviation}`);
    }
  });
});
