import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { GrowingBytes } from "./growing-bytes.ts";

describe("GrowingBytes", () => {
  it("joins pieces of any size", () => {
    const bytes = new GrowingBytes({ bytesMax: 1_000_000 });
    const whole = Uint8Array.from({ length: 200_000 }, (_, index) => index % 251);
    let at = 0;
    for (let size = 1; at < whole.length; size = (size * 7) % 4_093) {
      assert.equal(bytes.append(whole.subarray(at, at + size)), undefined);
      at += size;
    }

    assert.deepEqual(bytes.take(), whole);
    assert.equal(bytes.take().length, 0);
  });

  it("reserves memory as it grows, not for each piece, and refuses pieces beyond a limit", () => {
    const reserved: number[] = [];
    const reserve = (count: number): boolean => {
      reserved.push(count);
      return reserved.reduce((sum, each) => sum + each, 0) <= 40_000;
    };
    const bytes = new GrowingBytes({ bytesMax: 100_000, reserve });
    for (let count = 0; count < 32_768; count += 1) assert.equal(bytes.append(Uint8Array.of(1)), undefined);

    assert.deepEqual(reserved, [16_384, 16_384]);
    assert.equal(bytes.append(Uint8Array.of(1)), "memory");
    assert.equal(bytes.append(new Uint8Array(67_233)), "bytes");
    assert.equal(bytes.take().length, 32_768);
  });
});
