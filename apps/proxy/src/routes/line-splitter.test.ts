import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RouteStreamError } from "../errors.ts";
import { LineSplitter } from "./line-splitter.ts";

describe("LineSplitter", () => {
  it("returns the same lines however the bytes are split", () => {
    const text = Buffer.from('{"a":"ü"}\n\n{"b":2}\nrest');
    for (let cut = 0; cut <= text.length; cut += 1) {
      const lines = new LineSplitter(64);

      const got = [...lines.push(text.subarray(0, cut)), ...lines.push(text.subarray(cut))];

      assert.deepEqual(got, ['{"a":"ü"}', "", '{"b":2}']);
    }
  });

  it("accepts a line of the maximum length and refuses a longer one", () => {
    const lines = new LineSplitter(4);

    assert.deepEqual(lines.push(Buffer.from("abcd\nab")), ["abcd"]);
    assert.throws(() => lines.push(Buffer.from("cde")), RouteStreamError);
  });
});
