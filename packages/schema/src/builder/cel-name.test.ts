import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { celName, rulePath } from "./cel-name.ts";

describe("celName", () => {
  it("returns valid CEL names unchanged", () => {
    for (const name of ["spec", "_x", "a1", "fooBar"]) assert.equal(celName(name), name);
  });

  it("escapes names as the API server does", () => {
    const names: [string, string][] = [
      ["x-kind", "x__dash__kind"],
      ["a.b", "a__dot__b"],
      ["a/b", "a__slash__b"],
      ["a__b", "a__underscores__b"],
      ["a___b", "a__underscores___b"],
      ["namespace", "__namespace__"],
      ["in", "__in__"],
      ["int", "int"],
    ];

    for (const [name, escaped] of names) assert.equal(celName(name), escaped);
  });

  it("returns undefined for names that CEL cannot access", () => {
    for (const name of ["3rd", "a b", "", "$ref", "ü"]) assert.equal(celName(name), undefined);
  });
});

describe("rulePath", () => {
  it("uses brackets for names that are not identifiers", () => {
    assert.equal(rulePath(["spec", "x-kind", "a"]), ".spec['x-kind'].a");
  });
});
