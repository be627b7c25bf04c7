import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { array, assert as check, json, property, string } from "fast-check";
import { Lines, parseEvent } from "./protocol.ts";

describe("parseEvent", () => {
  it("parses every kind of event", () => {
    const lines = [
      { event: "synced", at: 1, objects: 10 },
      { event: "reconciled", at: 1, name: "widget-1", sequence: 3 },
      { event: "ready", at: 1, name: "widget-1" },
      { event: "collected", at: 1, reconciles: 0 },
      { event: "heap", at: 1 },
    ];

    assert.deepEqual(
      lines.map((line) => parseEvent(JSON.stringify(line))),
      lines,
    );
  });

  for (const line of [
    "",
    "starting",
    "{",
    "{}",
    "[]",
    "null",
    '{"event":"synced"}',
    '{"event":"synced","at":1,"objects":"10"}',
    '{"event":"synced","at":-1,"objects":10}',
    '{"event":"reconciled","at":1,"name":7,"sequence":1}',
    '{"event":"toString","at":1}',
    '{"event":["synced"],"at":1,"objects":1}',
  ]) {
    it(`ignores ${line === "" ? "an empty line" : line}`, () => {
      assert.equal(parseEvent(line), undefined);
    });
  }

  it("never throws", () => {
    check(property(string(), (line) => (parseEvent(line), true)));
    check(property(json(), (line) => (parseEvent(line), true)));
  });
});

describe("Lines", () => {
  it("returns the same lines wherever the text is split", () => {
    check(
      property(array(string()), (texts) => {
        const whole = texts.map((text) => text.replaceAll("\n", " "));
        const stream = whole.map((text) => `${text}\n`).join("");
        const lines = new Lines();

        const found = stream.split("").flatMap((letter) => lines.push(letter));

        assert.deepEqual(found, whole);
      }),
    );
  });

  it("keeps an incomplete line for the next chunk", () => {
    const lines = new Lines();

    assert.deepEqual(lines.push("a\nb"), ["a"]);
    assert.deepEqual(lines.push("c\n\n"), ["bc", ""]);
  });

  it("drops a line that never ends", () => {
    const lines = new Lines();
    lines.push("x".repeat(2_000_000));

    assert.deepEqual(lines.push("y\n"), ["y"]);
  });
});
