import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { collected, endOfHead, HeadCollector } from "./head-collector.ts";

/** Returns all texts of a length that have these characters only. */
function textsOf(characters: readonly string[], length: number): string[] {
  let texts = [""];
  for (let count = 0; count < length; count += 1)
    texts = texts.flatMap((text) => characters.map((character) => text + character));
  return texts;
}

describe("endOfHead", () => {
  it("finds the first empty line in all texts of eight bytes, from every offset to every end", () => {
    for (const text of textsOf(["a", "\r", "\n"], 8)) {
      const bytes = Buffer.from(text);
      for (let from = 0; from < 8; from += 1) {
        const at = text.indexOf("\r\n\r\n", from);
        for (let end = from; end <= 8; end += 1) {
          const expected = at === -1 || at + 4 > end ? -1 : at + 4;
          assert.equal(endOfHead(bytes, from, end), expected, `${JSON.stringify(text)} from ${from} to ${end}`);
        }
      }
    }
  });
});

describe("HeadCollector", () => {
  it("keeps no reference to the bytes of an incomplete head", () => {
    const collector = new HeadCollector(100);
    const first = Buffer.from("GET / HTTP/1.1\r\nho");
    assert.equal(collector.push(first, 0), collected.incomplete);
    first.fill("x");
    assert.equal(collector.push(Buffer.from("st: a\r\n\r\nrest"), 0), 9);

    assert.equal(collector.text, "GET / HTTP/1.1\r\nhost: a\r\n");
  });

  it("accepts a head of exactly the limit, in one piece or many, and refuses a longer one", () => {
    for (const [length, isAccepted] of [
      [99, true],
      [100, true],
      [101, false],
    ] as const) {
      const head = `GET / HTTP/1.1\r\nhost: ${"a".repeat(length - 26)}\r\n\r\n`;
      assert.equal(head.length, length);
      const whole = new HeadCollector(100).push(Buffer.from(`${head}rest`), 0);
      assert.equal(whole, isAccepted ? length : collected.tooLarge);

      const collector = new HeadCollector(100);
      let result: number = collected.incomplete;
      for (let at = 0; at < length && result === collected.incomplete; at += 1)
        result = collector.push(Buffer.from(head.charAt(at)), 0);
      assert.equal(result, isAccepted ? 1 : collected.tooLarge);
    }
  });
});
