import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ProtocolError } from "../errors.ts";
import { frameHead, maskInPlace, opcode, WebSocketReader } from "./websocket-reader.ts";

/** Returns the bytes of a frame. */
function frame(code: number, payload: Buffer, mask?: Buffer): Buffer {
  const body = Buffer.from(payload);
  if (mask !== undefined) maskInPlace(body, mask);
  return Buffer.concat([frameHead(code, body.length, mask), body]);
}

/** Reads chunks and returns the messages, pings and closes as text. */
function read(chunks: readonly Buffer[], { isMasked = true } = {}): readonly string[] {
  const seen: string[] = [];
  const reader = new WebSocketReader(
    {
      data: (chunk, isStart) => {
        if (isStart) seen.push(chunk.toString());
        else seen.push((seen.pop() ?? "") + chunk.toString());
      },
      ping: (payload) => seen.push(`ping ${payload.toString()}`),
      close: () => seen.push("close"),
    },
    { isMasked },
  );
  // Copies, because a reader unmasks what it gets.
  for (const chunk of chunks) reader.read(Buffer.from(chunk));
  return seen;
}

const mask = Buffer.from([0x37, 0xfa, 0x21, 0x3d]);
const frames = Buffer.concat([
  frame(opcode.binary, Buffer.from("hello, tunnel"), mask),
  frame(opcode.ping, Buffer.from("p"), mask),
  frame(opcode.binary, Buffer.from("y".repeat(130)), mask),
  frame(opcode.pong, Buffer.from("ignored"), mask),
  frame(opcode.close, Buffer.from([0x03, 0xe8]), mask),
]);
const expected = ["hello, tunnel", "ping p", "y".repeat(130), "close"];

describe("WebSocketReader", () => {
  it("reads the masked frame of RFC 6455, section 5.7", () => {
    assert.deepEqual(read([Buffer.from("828537fa213d7f9f4d5158", "hex")]), ["Hello"]);
  });

  it("reads frames that are cut at any byte", () => {
    for (let cut = 0; cut <= frames.length; cut += 1)
      assert.deepEqual(read([frames.subarray(0, cut), frames.subarray(cut)]), expected, `${cut}`);
    assert.deepEqual(read([...frames].map((byte) => Buffer.from([byte]))), expected);
  });

  it("joins the frames of a message, with a ping in between", () => {
    const first = frame(opcode.binary, Buffer.from("one "), mask);
    first[0] = opcode.binary;
    const last = frame(opcode.continuation, Buffer.from("two"), mask);
    const starts: boolean[] = [];
    let text = "";
    const reader = new WebSocketReader(
      {
        data: (chunk, isStart) => {
          starts.push(isStart);
          text += chunk.toString();
        },
        ping: () => (text += "[ping] "),
        close: () => undefined,
      },
      { isMasked: true },
    );

    reader.read(Buffer.concat([first, frame(opcode.ping, Buffer.from("x"), mask), last]));

    assert.equal(text, "one [ping] two");
    assert.deepEqual(starts, [true, false]);
  });

  it("masks the same way for every alignment and position", () => {
    const text = Buffer.from("the quick brown fox jumps over the lazy dog");
    for (let offset = 0; offset < 8; offset += 1) {
      for (let at = 0; at < 5; at += 1) {
        const room = Buffer.alloc(64);
        const bytes = room.subarray(offset, offset + text.length);
        text.copy(bytes);
        maskInPlace(bytes, mask, at);
        const plain = Buffer.from(text.map((byte, index) => byte ^ (mask[(at + index) & 3] ?? 0)));
        assert.deepEqual(Buffer.from(bytes), plain, `${offset} ${at}`);
      }
    }
    for (let length = 0; length < 6; length += 1) {
      const bytes = Buffer.alloc(9).subarray(1, 1 + length);
      maskInPlace(bytes, mask);
      assert.deepEqual([...bytes], [...Buffer.concat([mask, mask]).subarray(0, length)]);
    }
  });

  for (const [name, bytes, problem] of [
    ["no mask", frame(opcode.binary, Buffer.from("x")), /not masked/],
    ["reserved bits", Buffer.from([0xc2, 0x80, 0, 0, 0, 0]), /reserved bits/],
    ["an unknown code", Buffer.from([0x83, 0x80, 0, 0, 0, 0]), /the code 3/],
    ["text", frame(opcode.text, Buffer.from("x"), mask), /must be binary/],
    ["a continuation without a start", frame(opcode.continuation, Buffer.from("x"), mask), /wrong order/],
    ["a long ping", frame(opcode.ping, Buffer.alloc(126), mask), /fragmented or too long/],
    ["a fragmented ping", Buffer.from([0x09, 0x80, 0, 0, 0, 0]), /fragmented or too long/],
    ["a huge payload", Buffer.from("82ff7fffffffffffffff00000000", "hex"), /longer than/],
  ] as const) {
    it(`refuses a frame with ${name}`, () => {
      assert.throws(
        () => read([bytes]),
        (error) => error instanceof ProtocolError && problem.test(error.message),
      );
    });
  }

  it("refuses masked frames of a server", () => {
    assert.throws(() => read([frame(opcode.binary, Buffer.from("x"), mask)], { isMasked: false }), /is masked/);
  });
});
