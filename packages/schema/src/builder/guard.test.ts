import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { s } from "./s.ts";

describe("immutable fields", () => {
  it("have a rule that compares their value", () => {
    const { schema } = s.object({ name: s.string().immutable(), mode: s.string().default("a").immutable("no") });

    assert.deepEqual(schema.properties?.["name"]?.["x-kubernetes-validations"], [
      { rule: "self == oldSelf", message: "field is immutable" },
    ]);
    assert.deepEqual(schema.properties?.["mode"]?.["x-kubernetes-validations"], [
      { rule: "self == oldSelf", message: "no" },
    ]);
    assert.equal(schema["x-kubernetes-validations"], undefined, "both are always there");
  });

  it("cannot be set or removed if they are optional or nullable", () => {
    const rules = s.object({
      class: s.string().immutable().optional(),
      maybe: s.string().immutable().nullable(),
    }).schema["x-kubernetes-validations"];

    assert.deepEqual(rules, [
      { rule: "has(self.class) == has(oldSelf.class)", message: "field is immutable", fieldPath: ".class" },
      { rule: "has(self.maybe) == has(oldSelf.maybe)", message: "field is immutable", fieldPath: ".maybe" },
    ]);
  });

  it("prevent adding and removing the optional object that contains them", () => {
    const rules = s.object({
      storage: s.object({ backend: s.string().immutable(), class: s.string().immutable().optional() }).optional(),
    }).schema["x-kubernetes-validations"];

    assert.deepEqual(rules, [
      { rule: "has(self.storage) == has(oldSelf.storage)", message: "field is immutable", fieldPath: ".storage" },
    ]);
  });

  it("are guarded by the nearest object that is always present", () => {
    const inner = s.object({ fixed: s.string().immutable().optional() });
    const rules = s.object({ deep: s.object({ inner: inner.optional() }).optional() }).schema[
      "x-kubernetes-validations"
    ];

    assert.deepEqual(rules, [
      {
        rule:
          "has(self.deep) == has(oldSelf.deep) || !(has(self.deep) ? " +
          "has(self.deep.inner) && has(self.deep.inner.fixed) : has(oldSelf.deep.inner) && has(oldSelf.deep.inner.fixed))",
        message: "field is immutable",
        fieldPath: ".deep.inner.fixed",
      },
    ]);
  });

  it("do not prevent adding and removing list items and map keys", () => {
    const item = s.object({ name: s.string(), type: s.string().immutable() });

    const { schema } = s.object({ items: s.list(item).mapBy("name").optional(), pools: s.map(item).optional() });

    assert.equal(schema["x-kubernetes-validations"], undefined);
  });

  it("escape field names in CEL", () => {
    const rules = s.object({ "x-kind": s.string().immutable().optional() }).schema["x-kubernetes-validations"];

    assert.deepEqual(rules, [
      {
        rule: "has(self.x__dash__kind) == has(oldSelf.x__dash__kind)",
        message: "field is immutable",
        fieldPath: "['x-kind']",
      },
    ]);
  });
});

describe("setOnce fields", () => {
  it("can be set but not removed", () => {
    const rules = s.object({
      key: s.string().setOnce().optional(),
      auth: s.object({ token: s.string().setOnce("kept").optional() }).optional(),
    }).schema["x-kubernetes-validations"];

    assert.deepEqual(rules, [
      {
        rule: "!has(oldSelf.key) || has(self.key)",
        message: "field cannot be changed or removed once it is set",
        fieldPath: ".key",
      },
      {
        rule: "!has(oldSelf.auth) || has(self.auth) || !(has(oldSelf.auth.token))",
        message: "kept",
        fieldPath: ".auth.token",
      },
    ]);
  });
});
