import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ProtocolError } from "../errors.ts";
import { lineBytesMax, LineReader } from "./line-reader.ts";

describe("LineReader", () => {
  it("returns the line and what follows it, wherever the data is cut", () => {
    const bytes = Buffer.from('{"t":"in"}\nGET / HTTP/1.1');
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const reader = new LineReader();
      const first = reader.read(bytes.subarray(0, cut));
      const result = first ?? reader.read(bytes.subarray(cut));
      const rest = first === undefined ? "" : bytes.subarray(cut).toString();

      assert.equal(result?.line, '{"t":"in"}', `${cut}`);
      assert.equal((result?.rest.toString() ?? "") + rest, "GET / HTTP/1.1");
    }
  });

  it("accepts a line of the maximum length and refuses one that is longer", () => {
    const longest = Buffer.from(`${"x".repeat(lineBytesMax - 1)}\n`);

    assert.equal(new LineReader().read(longest)?.line.length, lineBytesMax - 1);
    assert.throws(() => new LineReader().read(Buffer.from(`${"x".repeat(lineBytesMax)}\n`)), ProtocolError);
    const reader = new LineReader();
    reader.read(Buffer.alloc(lineBytesMax, "x"));
    assert.throws(() => reader.read(Buffer.from("x")), ProtocolError);
  });
});
