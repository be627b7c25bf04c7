import assert from "node:assert/strict";
import { it } from "node:test";
import { StampReader, stampOf } from "./stamp-reader.ts";

it("finds every timestamp once, wherever the bytes are split", () => {
  const text = `{"a":"${stampOf(17)} x"}\n{"a":"${stampOf(123_456_789_012_345)}"}\n`;

  for (let first = 0; first < text.length; first += 1) {
    for (let second = first; second < text.length; second += 7) {
      const reader = new StampReader();
      const pieces = [text.slice(0, first), text.slice(first, second), text.slice(second)];

      const found = pieces.flatMap((piece) => reader.take(Buffer.from(piece)));

      assert.deepEqual(found, [17, 123_456_789_012_345], `cut at ${first} and ${second}`);
    }
  }
});
