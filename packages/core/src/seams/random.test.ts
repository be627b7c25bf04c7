import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { jitter, nameSuffix, uuid } from "./random.ts";
import { SeededRandom } from "./seeded-random.ts";
import { systemRandom } from "./system-random.ts";

describe("SeededRandom", () => {
  // These numbers must never change: a seed printed by an old release must reproduce the same run in a new one.
  const golden: [number | string, number[], number[]][] = [
    [0, [0.24197722959242174, 0.1566502186220884], [36, 71, 11, 42]],
    [1, [0.7222558141433046, 0.7166587741423951], [86, 43, 90, 38]],
    ["homeostat", [0.4910779100626571, 0.8769431483434429], [40, 47, 49, 83]],
  ];
  for (const [seed, numbers, throws] of golden) {
    it(`returns the recorded numbers for seed ${seed}`, () => {
      const random = new SeededRandom(seed);

      assert.deepEqual([random.next(), random.next()], numbers);
      assert.deepEqual(
        throws.map(() => random.int(100)),
        throws,
      );
    });
  }

  it("equals an independent implementation of sfc32", () => {
    const bits = sfc32(["a", "b", "c"].map((letter) => fnv1a(`${letter}some seed`)));
    const random = new SeededRandom("some seed");

    for (let i = 0; i < 1_000; i += 1) {
      const expected = Number(((bits() >> 5n) << 26n) | (bits() >> 6n)) / 2 ** 53;
      assert.equal(random.next(), expected);
    }
  });

  it("forks generators that depend only on seed and label", () => {
    const a = new SeededRandom(5);
    const b = new SeededRandom(5);
    b.next();

    assert.equal(a.fork("network").next(), b.fork("network").next());
    assert.notEqual(a.fork("network").next(), a.fork("disk").next());
  });

  it("is uniformly distributed", () => {
    const random = new SeededRandom(7);
    const buckets = Array.from({ length: 10 }, () => 0);

    for (let i = 0; i < 100_000; i += 1) {
      const at = random.int(10);
      buckets[at] = (buckets[at] ?? 0) + 1;
    }

    for (const count of buckets) assert.ok(Math.abs(count - 10_000) < 500, String(buckets));
  });
});

for (const [name, random] of [
  ["SeededRandom", new SeededRandom(1)],
  ["systemRandom", systemRandom],
] as const) {
  describe(`numbers of ${name}`, () => {
    it("are within their bounds and differ", () => {
      const seen = new Set<number>();
      for (let i = 0; i < 1_000; i += 1) {
        const number = random.next();
        assert.ok(number >= 0 && number < 1);
        seen.add(number);
        const whole = random.int(3);
        assert.ok(whole === 0 || whole === 1 || whole === 2);
      }
      assert.ok(seen.size > 990);
    });

    it("refuse an invalid bound", () => {
      for (const bound of [0, -1, 1.5, Number.NaN, Infinity, 2 ** 60]) {
        assert.throws(() => random.int(bound), { code: "ARGUMENT" }, String(bound));
      }
    });

    it("give suffixes with the alphabet of Kubernetes and well-formed UUIDs", () => {
      for (let i = 0; i < 100; i += 1) {
        assert.match(nameSuffix(random), /^[bcdfghjklmnpqrstvwxz2456789]{5}$/);
        assert.match(uuid(random), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      }
      assert.equal(nameSuffix(random, 10).length, 10);
      assert.equal(nameSuffix(random, 0), "");
    });
  });
}

describe("jitter", () => {
  it("stays between the delay and the delay times 1 + factor", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), fc.double({ min: 0, max: 2, noNaN: true }), (ms, factor) => {
        const delay = jitter(systemRandom, ms, factor);

        assert.ok(delay >= ms && delay <= ms * (1 + factor));
      }),
    );
  });
});

function fnv1a(text: string): bigint {
  let hash = 0x811c9dc5n;
  for (const letter of text) hash = ((hash ^ BigInt(letter.charCodeAt(0))) * 0x01000193n) & 0xffffffffn;
  return hash;
}

function sfc32([a = 0n, b = 0n, c = 0n]: bigint[]): () => bigint {
  const mask = 0xffffffffn;
  let counter = 1n;
  const next = (): bigint => {
    const result = (a + b + counter) & mask;
    counter = (counter + 1n) & mask;
    a = b ^ (b >> 9n);
    b = (c + (c << 3n)) & mask;
    c = (((c << 21n) | (c >> 11n)) + result) & mask;
    return result;
  };
  for (let i = 0; i < 15; i += 1) next();
  return next;
}
