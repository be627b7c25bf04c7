import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ParseError } from "@homeostat/core";
import { fuzz } from "@homeostat/fuzz";
import { Item, readItem } from "./item.ts";
import { WatchLine } from "./watch-line.ts";

const object = { apiVersion: "v1", kind: "Pod", metadata: { name: "web", resourceVersion: "42", uid: "u-1" } };

describe("WatchLine", () => {
  it("reads an event in the form of API servers", () => {
    const line = new WatchLine().read(Buffer.from(JSON.stringify({ type: "MODIFIED", object })));

    assert.equal(line.type, "MODIFIED");
    assert.equal(line.version, "42");
    assert.deepEqual(line.object, object);
    assert.equal(readItem(new Item(), line.bytes, line.span).name, "web");
  });

  it("reads the same event in any other form", () => {
    for (const text of [
      JSON.stringify({ object, type: "DELETED" }),
      JSON.stringify({ type: "DELETED", object, more: 1 }),
      ` { "type" : "DELETED" , "object" : ${JSON.stringify(object)} } `,
      JSON.stringify({ type: "DELETED", object }, undefined, 2),
      String.raw`{"type":"DELET\u0045D","object":${JSON.stringify(object)}}`,
    ]) {
      const line = new WatchLine().read(Buffer.from(text));

      assert.equal(line.type, "DELETED", text);
      assert.deepEqual(line.object, object, text);
    }
  });

  it("rejects a line that is not an event, and shows it in the error", () => {
    for (const text of ["", "{", "null", "[]", '{"type":"ADDED"}', '{"type":"NEW","object":{}}', "<html>"]) {
      assert.throws(
        () => new WatchLine().read(Buffer.from(text)),
        (error: unknown) => error instanceof ParseError && error.what === "watch event",
        text,
      );
    }
  });

  it("reads an event or throws a ParseError, for any bytes", () => {
    const valid = ["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"].map((type) => JSON.stringify({ type, object }));
    const pieces = [
      '"',
      "\\",
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      "\\u00",
      "é",
      '"metadata":{',
      '"name":"',
      "\u0000",
      "null",
    ];
    const line = new WatchLine();
    const item = new Item();
    fuzz({
      count: 100_000,
      input: (chance, n) => {
        if (n % 5000 === 0) return `{"type":"ADDED","object":${'{"a":'.repeat(20_000)}`;
        if (n % 5000 === 1) return `{"object":${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)},"type":"ADDED"}`;
        if (n % 5000 === 2) return `{"type":"ADDED","object":{"__proto__":{"x":1},"metadata":{"name":"__proto__"}}}`;
        return chance.mutate(chance.pick(valid), pieces);
      },
      run: (text) => {
        line.read(Buffer.from(text));
        assert.ok(line.version !== undefined);
        const { name } = readItem(item, line.bytes, line.span);
        assert.ok(name !== "" && typeof item.uid === "string");
        assert.ok(line.object !== undefined);
      },
      isExpected: (error) => error instanceof ParseError,
    });
  });
});
