import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ReadBuffers } from "./read-buffers.ts";

const idle = { isLent: false, isDone: false };

describe("ReadBuffers", () => {
  it("use one small buffer for small responses", () => {
    const reads = new ReadBuffers();
    const first = reads.current;

    reads.advance({ ...idle, count: 1_200, isDone: true });
    reads.advance({ ...idle, count: 300 });

    assert.equal(reads.current, first);
  });

  it("use a large buffer after a full one, until the response has ended", () => {
    const reads = new ReadBuffers();
    const small = reads.current;

    reads.advance({ ...idle, count: small.length });
    const large = reads.current;
    reads.advance({ ...idle, count: large.length });

    assert.ok(large.length > small.length);
    assert.equal(reads.current, large);
    reads.advance({ ...idle, count: 10, isDone: true });
    assert.equal(reads.current, small);
  });

  it("never read into a buffer whose bytes the receiver has not sent", () => {
    const reads = new ReadBuffers();
    const small = reads.current;
    reads.advance({ ...idle, count: small.length });
    const lent = new Set<Buffer>();

    for (let read = 0; read < 40; read += 1) {
      assert.ok(!lent.has(reads.current));
      lent.add(reads.current);
      reads.advance({ count: reads.current.length, isLent: true, isDone: false });
    }
    const other = new ReadBuffers();
    other.advance({ ...idle, count: other.current.length });
    assert.ok(!lent.has(other.current), "another connection must not get a lent buffer");

    reads.sent();
    other.advance({ count: 1, isLent: true, isDone: false });
    assert.ok(lent.has(other.current), "sent buffers are used again");
  });

  it("leave the buffers of a response that ended with unsent bytes to garbage collection", () => {
    const reads = new ReadBuffers();
    const small = reads.current;

    reads.advance({ count: 100, isLent: true, isDone: true });

    assert.notEqual(reads.current, small);
    reads.advance({ ...idle, count: 100, isDone: true });
    assert.notEqual(reads.current, small);
  });
});
