import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { celName, rulePath } from "./cel-name.ts";

describe("names in CEL", () => {
  it("are kept when CEL can read them", () => {
    for (const name of ["spec", "_x", "a1", "fooBar"]) assert.equal(celName(name), name);
  });

  it("are escaped as the API server escapes them", () => {
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

  it("cannot be anything at all", () => {
    for (const name of ["3rd", "a b", "", "$ref", "ü"]) assert.equal(celName(name), undefined);
  });
});

describe("the path of a rule", () => {
  it("uses brackets where a name is no identifier", () => {
    assert.equal(rulePath(["spec", "x-kind", "a"]), ".spec['x-kind'].a");
  });
});
