import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ProtocolError } from "../errors.ts";
import { encodeHeader, frameFlag, type FrameHeader, frameType } from "./frame.ts";
import { FrameReader } from "./frame-reader.ts";

/** Reads chunks and returns the frames as text. */
function read(chunks: readonly Buffer[]): readonly string[] {
  const seen: string[] = [];
  let data: Buffer[] = [];
  const reader = new FrameReader({
    frame: ({ type, flags, id, length }: FrameHeader) => void seen.push(`${type} ${flags} ${id} ${length}`),
    data: (chunk, isLast) => {
      data.push(chunk);
      if (!isLast) return;
      seen.push(Buffer.concat(data).toString());
      data = [];
    },
  });
  for (const chunk of chunks) reader.read(chunk);
  return seen;
}

const frames = Buffer.concat([
  encodeHeader({ type: frameType.windowUpdate, flags: frameFlag.syn, id: 1, length: 0 }),
  encodeHeader({ type: frameType.data, flags: 0, id: 1, length: 5 }),
  Buffer.from("hello"),
  encodeHeader({ type: frameType.data, flags: frameFlag.fin, id: 1, length: 0 }),
  encodeHeader({ type: frameType.ping, flags: frameFlag.syn, id: 0, length: 0xffff_ffff }),
  encodeHeader({ type: frameType.goAway, flags: 0, id: 0, length: 3 }),
]);
const expected = ["1 1 1 0", "0 0 1 5", "hello", "0 4 1 0", "2 1 0 4294967295", "3 0 0 3"];

describe("FrameReader", () => {
  it("reads frames that arrive at once", () => {
    assert.deepEqual(read([frames]), expected);
  });

  it("reads frames that are cut at any two bytes", () => {
    for (let first = 0; first <= frames.length; first += 1) {
      for (let second = first; second <= frames.length; second += 1) {
        const chunks = [frames.subarray(0, first), frames.subarray(first, second), frames.subarray(second)];
        assert.deepEqual(read(chunks), expected, `${first}, ${second}`);
      }
    }
  });

  it("passes data on without copying it", () => {
    const chunk = Buffer.concat([encodeHeader({ type: 0, flags: 0, id: 1, length: 3 }), Buffer.from("abc")]);
    const received: Buffer[] = [];

    new FrameReader({ frame: () => undefined, data: (data) => received.push(data) }).read(chunk);

    assert.equal(received[0]?.buffer, chunk.buffer);
  });

  for (const [name, at, value] of [
    ["another version", 0, 1],
    ["an unknown type", 1, 4],
    ["an unknown flag in the low byte", 3, 16],
    ["an unknown flag in the high byte", 2, 1],
  ] as const) {
    it(`refuses a frame with ${name}`, () => {
      const header = encodeHeader({ type: 1, flags: 0, id: 1, length: 0 });
      header[at] = value;

      assert.throws(() => read([header]), ProtocolError);
    });
  }
});
