import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { laterVersion, parseVersion, readVersion } from "./version.ts";

describe("versions", () => {
  it("compare as integers, beyond the range of a number", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 70n }), fc.bigInt({ min: -3n, max: 3n }), (a, difference) => {
        const b = a + difference < 0n ? 0n : a + difference;
        const left = parseVersion(String(a));
        const right = parseVersion(String(b));

        assert.ok(left !== undefined && right !== undefined);
        assert.equal(left < right, a < b);
        assert.equal(left === right, a === b);
        assert.equal(laterVersion(left, right), a > b ? left : right);
      }),
    );
  });

  it("are the same when read from bytes", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 80n }).map(String), fc.string({ maxLength: 60 })),
        (text) => {
          const bytes = Buffer.from(`"${text}"`);

          assert.equal(readVersion(bytes, 1, bytes.length - 1), parseVersion(text));
        },
      ),
    );
  });

  it("are undefined if they are not whole numbers", () => {
    for (const text of ["", "a", "-1", "1.5", "1e3", " 1", "0x10", "1".repeat(41)]) {
      assert.equal(parseVersion(text), undefined, text);
    }
    assert.equal(parseVersion(undefined), undefined);
    assert.equal(readVersion(Buffer.from("12"), -1, -1), undefined, "absent");
  });

  it("that are undefined are earlier than any other", () => {
    assert.equal(laterVersion(undefined, 3), 3);
    assert.equal(laterVersion(3, undefined), 3);
    assert.equal(laterVersion(undefined, undefined), undefined);
  });
});
