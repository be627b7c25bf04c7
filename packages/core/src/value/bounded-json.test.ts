import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { JsonLimitError } from "../errors/json-limit-error.ts";
import { ParseError } from "../errors/parse-error.ts";
import { type BoundedJsonOptions, checkJsonLimits, parseBoundedJson } from "./bounded-json.ts";

const wide: BoundedJsonOptions = { what: "response", bytesMax: 100_000, depthMax: 100, valuesMax: 100_000 };

function limitOf(input: string | Uint8Array, limits: Partial<BoundedJsonOptions>): string | undefined {
  try {
    checkJsonLimits(input, { ...wide, ...limits });
    return undefined;
  } catch (error) {
    assert.ok(error instanceof JsonLimitError);
    return error.limit;
  }
}

describe("parseBoundedJson", () => {
  it("returns what JSON.parse returns, from text and from bytes", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        assert.deepEqual(parseBoundedJson(text, wide), JSON.parse(text));
        assert.deepEqual(parseBoundedJson(new TextEncoder().encode(text), wide), JSON.parse(text));
      }),
    );
  });

  it("rejects text that is not JSON, and keeps only its beginning", () => {
    assert.throws(
      () => parseBoundedJson(`x${" ".repeat(10_000)}`, wide),
      (error) => error instanceof ParseError && error.what === "response" && error.input.length === 200,
    );
  });

  it("rejects bytes that are not UTF-8", () => {
    assert.throws(() => parseBoundedJson(Uint8Array.of(0x22, 0xff, 0x22), wide), ParseError);
  });

  it("stops at a limit before the parser sees the document", () => {
    // The parser would reject both documents, so the error shows that it never ran.
    assert.throws(() => parseBoundedJson("[".repeat(50_000), wide), { code: "JSON_LIMIT", limit: "depth", max: 100 });
    assert.throws(() => parseBoundedJson("[1,,,,", { ...wide, valuesMax: 3 }), { code: "JSON_LIMIT", limit: "values" });
  });

  it("names the document, the limit and what to do in the message", () => {
    assert.throws(() => parseBoundedJson("[[1]]", { ...wide, depthMax: 1 }), {
      message: "response exceeds the limit of 1 levels of nesting of JSON. Send a smaller document.",
    });
  });
});

describe("checkJsonLimits", () => {
  const cases: readonly [name: string, text: string, atLimit: Partial<BoundedJsonOptions>, limit: string][] = [
    ["bytes of UTF-8", '"é"', { bytesMax: 4 }, "bytes"],
    ["levels of arrays and objects", '[{"a":[]}]', { depthMax: 3 }, "depth"],
    ["elements of arrays", "[1,2,3]", { valuesMax: 4 }, "values"],
    ["empty arrays, as two values each", "[[],[]]", { valuesMax: 5 }, "values"],
    ["different names of fields", '[{"a":1,"b":{"a":2}},{"c" :3}]', { distinctKeysMax: 3 }, "distinctKeys"],
    ["fields of objects", '{"a":1,"b":{"c":2}}', { keysMax: 3 }, "keys"],
  ];
  for (const [name, text, atLimit, limit] of cases) {
    it(`counts ${name}`, () => {
      const below = Object.fromEntries(Object.entries(atLimit).map(([key, max]) => [key, Number(max) - 1]));

      assert.equal(limitOf(text, atLimit), undefined);
      assert.equal(limitOf(text, below), limit);
    });
  }

  it("ignores punctuation inside of strings, whatever is escaped in them", () => {
    const text = JSON.stringify({ '[[,,::"\\': '{{\\"[[\\\\", "][' });

    assert.equal(limitOf(text, { depthMax: 1, valuesMax: 2, keysMax: 1 }), undefined);
  });

  it("treats an unterminated string as the rest of the document", () => {
    assert.equal(limitOf('"[[[\\', { depthMax: 0 }), undefined);
  });

  it("never counts less than the parser creates", () => {
    const countOf = (value: unknown): number =>
      typeof value === "object" && value !== null
        ? Object.values(value).reduce((sum: number, child) => sum + countOf(child), 1)
        : 1;
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const count = countOf(JSON.parse(text));

        if (count > 1) assert.equal(limitOf(text, { valuesMax: count - 1 }), "values");
      }),
    );
  });
});
