import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { newEntry } from "./entry.ts";
import { SharedParts } from "./shared-parts.ts";

const about = { revision: 2, createdRevision: 2 };

describe("SharedParts", () => {
  it("stores a part once that several values contain", () => {
    const shared = new SharedParts(() => ({ start: 2, end: 302 }));
    const common = "x".repeat(300);

    const [a, b] = ["1:", "2:"].map((head) => shared.split(Buffer.from(`${head}${common}.`)));

    assert.equal(a?.shared, b?.shared);
    assert.equal(Buffer.from(a?.own ?? []).toString(), "1:.");
    assert.equal(Buffer.from(b?.own ?? []).toString(), "2:.");
  });

  it("keeps parts apart that differ in one byte", () => {
    const shared = new SharedParts((bytes) => ({ start: 0, end: bytes.length }));
    const [one, other] = [Buffer.alloc(200, 0xc3), Buffer.alloc(200, 0xc3)];
    other[100] = 0xa3;

    assert.notEqual(shared.split(one).shared, shared.split(other).shared);
  });

  it("restores every value, wherever it is split, from any offset", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 600 }),
        fc.nat({ max: 600 }),
        fc.nat({ max: 600 }),
        fc.nat({ max: 600 }),
        (bytes, a, b, c) => {
          const [start, end] = [Math.min(a, b, bytes.length), Math.min(Math.max(a, b), bytes.length)];
          const skipped = Math.min(c, bytes.length);
          const shared = new SharedParts(() => ({ start, end }));

          const entry = newEntry("key", { bytes }, { ...about, shared });
          const target = Buffer.alloc(bytes.length + 2);
          const behind = entry.copyTo(target, 1, skipped);

          assert.equal(entry.size, bytes.length);
          assert.deepEqual(Buffer.from(entry.bytes), Buffer.from(bytes));
          assert.equal(behind, 1 + bytes.length - skipped);
          assert.deepEqual(target.subarray(1, behind), Buffer.from(bytes.subarray(skipped)));
          assert.equal(
            target.subarray(behind).every((byte) => byte === 0),
            true,
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  it("keeps only the bytes alive, not the buffer they were cut from", () => {
    const shared = new SharedParts(() => ({ start: 100, end: 400 }));
    const pool = new Uint8Array(1_000_000);

    const cut = shared.split(pool.subarray(10, 510));

    assert.equal(cut.own.buffer.byteLength, 200);
    assert.equal(cut.shared?.buffer.byteLength, 300);
  });
});
