import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fuzz } from "@homeostat/fuzz";
import { s } from "../builder/s.ts";
import { putStash, takeStash } from "./annotation.ts";
import { applyChanges, findChanges } from "./stash.ts";

const key = "load.example.com/v2-stash";
const bytesMax = 200 * 1024;

describe("the stash annotation", () => {
  it("returns the stored changes and restores the original metadata", () => {
    const changes = [{ at: ["spec", { name: "A" }, "x"], was: null, is: [1, { __proto__x: "ü" }] }];
    const before = { name: "a", annotations: { other: "1" } };

    const { metadata } = putStash(before, changes, { key, bytesMax });
    const taken = takeStash(metadata, key);

    assert.deepEqual(taken.stash, { at: "present", changes });
    assert.deepEqual(taken.metadata, before);
    assert.deepEqual(takeStash(putStash({ name: "a" }, changes, { key, bytesMax }).metadata, key).metadata, {
      name: "a",
    });
  });

  it("is absent if the metadata has no such annotation", () => {
    for (const metadata of [
      {},
      { annotations: {} },
      { annotations: null },
      undefined,
      "x",
      { annotations: { other: "x" } },
    ]) {
      assert.deepEqual(takeStash(metadata, key).stash, { at: "absent" });
    }
  });

  it("is replaced by a marker if it is too large in bytes", () => {
    const put = (text: string, limit: number) => putStash({}, [{ at: ["a"], is: text }], { key, bytesMax: limit });
    const frame = JSON.stringify([{ at: ["a"], is: "" }]).length;

    assert.equal(put("ü".repeat(50), frame + 100).isOmitted, false);
    assert.equal(put("ü".repeat(50), frame + 99).isOmitted, true);
    assert.deepEqual(takeStash(put("x", 1).metadata, key).stash, { at: "omitted" });
    assert.equal(put("x".repeat(256 * 1024), 1e9).isOmitted, true, "no more than the API server takes");
  });

  it("is unreadable unless it is a list of well-formed changes", () => {
    const { schema } = s.object({
      a: s.object({ b: s.int().optional() }).optional(),
      list: s
        .list(s.object({ name: s.string(), x: s.int().optional() }))
        .mapBy("name")
        .optional(),
    });
    const value = { list: [{ name: "n" }] };
    const valid = JSON.stringify(
      findChanges(schema, { base: value, raw: value, full: { a: { b: 1 }, list: [{ name: "n", x: 2 }] } }),
    );
    const parts = [
      '"',
      "[",
      "]",
      "{",
      "}",
      ",",
      ":",
      "null",
      "1e999",
      '"at"',
      '"is"',
      '"__proto__"',
      '"constructor"',
      "\\u0000",
      "ü",
      "[".repeat(5000),
    ];

    fuzz({
      count: 100_000,
      seed: 11,
      input: (chance) => {
        const cut = chance.int(valid.length);
        return valid.slice(0, cut) + chance.pick(parts) + valid.slice(cut + chance.int(8));
      },
      run: (text) => {
        const { stash } = takeStash({ annotations: { [key]: text } }, key);
        if (stash.at === "present") applyChanges(schema, value, stash.changes);
      },
      isExpected: () => false,
    });

    assert.deepEqual(value, { list: [{ name: "n" }] });
  });
});
