import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ResponseReader } from "./response-reader.ts";

const byLength = "HTTP/1.1 201 Created\r\nContent-Length: 5\r\n\r\nhello";
const inChunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n";

describe("ResponseReader", () => {
  it("finds the end of a response by its length or last chunk, wherever the bytes are split", () => {
    for (const [text, expected] of [
      [byLength, { status: 201, bodyBytes: 5 }],
      [inChunks, { status: 200, bodyBytes: 11 }],
    ] as const) {
      for (let cut = 1; cut < text.length; cut += 1) {
        const reader = new ResponseReader();

        const first = reader.take(Buffer.from(text.slice(0, cut)));
        const second = reader.take(Buffer.from(text.slice(cut)));

        assert.equal(first, undefined, `cut at ${cut}`);
        assert.deepEqual(second, expected, `cut at ${cut}`);
      }
    }
  });

  it("reads consecutive responses of one connection", () => {
    const reader = new ResponseReader();

    const statuses = [byLength, inChunks, byLength].map((text) => reader.take(Buffer.from(text))?.status);

    assert.deepEqual(statuses, [201, 200, 201]);
  });
});
