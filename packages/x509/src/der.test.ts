import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as der from "./der.ts";

describe("DER", () => {
  it("encodes long lengths in the fewest bytes", () => {
    assert.deepEqual([...der.octetString(Buffer.alloc(127)).subarray(0, 2)], [0x04, 127]);
    assert.deepEqual([...der.octetString(Buffer.alloc(128)).subarray(0, 3)], [0x04, 0x81, 128]);
    assert.deepEqual([...der.octetString(Buffer.alloc(65_536)).subarray(0, 5)], [0x04, 0x83, 1, 0, 0]);
  });

  it("encodes numbers as positive, without leading zeros", () => {
    assert.deepEqual([...der.integer(Buffer.from([0x80]))], [0x02, 2, 0, 0x80]);
    assert.deepEqual([...der.integer(Buffer.from([0, 0, 0x7f]))], [0x02, 1, 0x7f]);
    assert.deepEqual([...der.integer(Buffer.from([0]))], [0x02, 1, 0]);
  });

  it("encodes the parts of an identifier with seven bits per byte", () => {
    assert.deepEqual(
      [...der.objectIdentifier("1.2.840.10045.4.3.2")],
      [0x06, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2],
    );
  });

  it("encodes years with two digits until 2049 and four after", () => {
    const text = (moment: string): string => der.time(new Date(moment)).subarray(2).toString();

    assert.equal(text("2049-12-31T23:59:59.999Z"), "491231235959Z");
    assert.equal(text("2050-01-01T00:00:00Z"), "20500101000000Z");
  });
});
