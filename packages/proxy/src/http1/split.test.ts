import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { corpus } from "../testing/corpus.ts";
import { proxyInMemory } from "../testing/memory-exchange.ts";

describe("Messages in pieces", () => {
  for (const [index, message] of corpus.entries()) {
    it(`are handled alike wherever they are cut: ${index}, ${JSON.stringify(message.slice(0, 50))}`, () => {
      const bytes = Buffer.from(message, "latin1");
      const whole = proxyInMemory([bytes]);

      for (let at = 1; at < bytes.length; at += 1) {
        const parts = proxyInMemory([bytes.subarray(0, at), bytes.subarray(at)]);
        assert.deepEqual(
          { requests: parts.requests, isClosed: parts.isClosed, status: statusesOf(parts.client) },
          { requests: whole.requests, isClosed: whole.isClosed, status: statusesOf(whole.client) },
          `cut at ${at}`,
        );
      }
      const single = proxyInMemory(Array.from(bytes, (byte) => Buffer.from([byte])));
      assert.deepEqual([single.requests, single.isClosed], [whole.requests, whole.isClosed]);
    });
  }
});

function statusesOf(text: string): readonly string[] {
  return text.match(/HTTP\/1\.1 \d+/g) ?? [];
}
