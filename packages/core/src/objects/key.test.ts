import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fuzz } from "@homeostat/fuzz";
import * as fc from "fast-check";
import { ParseError } from "../errors/parse-error.ts";
import { formatApiVersion, parseApiVersion } from "./api-version.ts";
import { formatKey, keyOf, parseKey } from "./key.ts";

describe("keyOf", () => {
  it("joins namespace and name, and omits a missing namespace", () => {
    assert.equal(keyOf({ metadata: { namespace: "default", name: "web" } }), "default/web");
    assert.equal(keyOf({ metadata: { name: "node-1" } }), "node-1");
    assert.equal(keyOf({ metadata: { namespace: "", name: "node-1" } }), "node-1");
  });

  it("refuses an object without a name", () => {
    assert.throws(() => keyOf({ metadata: { namespace: "default" } }), { code: "ARGUMENT", argument: "metadata.name" });
    assert.throws(() => keyOf({ metadata: { name: "" } }), { code: "ARGUMENT" });
  });
});

describe("parseKey", () => {
  it("parses both forms", () => {
    assert.deepEqual(parseKey("default/web"), { namespace: "default", name: "web" });
    assert.deepEqual(parseKey("node-1"), { name: "node-1" });
  });

  const refused: [string, number][] = [
    ["", 0],
    ["/", 0],
    ["/web", 0],
    ["default/", 8],
    ["a/b/c", 3],
    ["a//b", 2],
  ];
  for (const [key, offset] of refused) {
    it(`refuses ${JSON.stringify(key)} at ${offset}`, () => {
      assert.throws(() => parseKey(key), { name: "ParseError", what: "object key", offset });
    });
  }

  it("parses every formatted key", () => {
    const part = fc.string({ minLength: 1 }).filter((text) => !text.includes("/"));
    fc.assert(
      fc.property(part, fc.option(part, { nil: undefined }), (name, namespace) => {
        const key = namespace === undefined ? { name } : { namespace, name };

        assert.deepEqual(parseKey(formatKey(key)), key);
      }),
    );
  });
});

describe("parseApiVersion", () => {
  it("parses groups and the core group", () => {
    assert.deepEqual(parseApiVersion("apps/v1"), { group: "apps", version: "v1" });
    assert.deepEqual(parseApiVersion("v1"), { group: "", version: "v1" });
    assert.equal(formatApiVersion({ group: "", version: "v1" }), "v1");
    assert.equal(formatApiVersion({ group: "apps", version: "v1" }), "apps/v1");
  });

  for (const [text, offset] of [
    ["", 0],
    ["/v1", 0],
    ["apps/", 5],
    ["a/b/c", 3],
  ] as const) {
    it(`refuses ${JSON.stringify(text)} at ${offset}`, () => {
      assert.throws(() => parseApiVersion(text), { name: "ParseError", what: "apiVersion", offset });
    });
  }
});

describe("keys and API versions", () => {
  it("round-trip, or are refused with a ParseError, for any text", () => {
    const { accepted } = fuzz({
      count: 100_000,
      seed: 47,
      input: (chance) =>
        chance.mutate(chance.pick(["default/web", "node-1", "apps/v1", "v1", "", "a".repeat(300)]), [
          "/",
          "//",
          "%",
          ".",
          "..",
          "\u0000",
          "\ud800",
          "__proto__",
        ]),
      run: (text) => {
        assert.equal(formatKey(parseKey(text)), text);
        assert.equal(formatApiVersion(parseApiVersion(text)), text);
      },
      isExpected: (error) => error instanceof ParseError && error.offset <= error.input.length,
    });

    assert.ok(accepted > 10_000 && accepted < 90_000, `${accepted} accepted`);
  });
});
