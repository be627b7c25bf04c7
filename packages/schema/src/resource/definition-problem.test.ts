import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { s } from "../builder/s.ts";
import { DefinitionError } from "../problem/definition-error.ts";
import type { Part } from "./definition.ts";
import { defineResource } from "./define-resource.ts";

/** Returns the lines of the error message for an invalid spec, without the first. */
function complaints(spec: Part): string[] {
  try {
    defineResource({ group: "a.example.com", version: "v1", kind: "Site", spec });
  } catch (error) {
    assert.ok(error instanceof DefinitionError);
    return error.message.split("\n").slice(1);
  }
  return [];
}

describe("problems of a definition", () => {
  it("name the field as the definition does", () => {
    const port = s.object({ number: s.int().min(1).default(0) });

    assert.deepEqual(complaints({ ports: s.list(port).atomic() }), [
      "  spec.ports[*].number.default: Invalid value: 0:  in body should be greater than or equal to 1",
    ]);
    assert.deepEqual(complaints({ hosts: s.map(s.list(s.object({ name: s.string() })).set()) }), [
      "  spec.hosts[*][*].x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set",
      '    End the list with .mapBy("key") or .atomic(), or make its items .atomic().',
    ]);
  });

  it("distinguish fields that are named like schema keywords from the keywords", () => {
    const odd = s.object({ items: s.object({ properties: s.int().max(1).default(2) }) });

    assert.deepEqual(complaints({ additionalProperties: odd }), [
      "  spec.additionalProperties.items.properties.default: Invalid value: 2:  in body should be less than or equal to 1",
    ]);
  });

  it("show the expression of a rule and the position of the error in it", () => {
    assert.deepEqual(complaints(s.object({ image: s.string() }).rule({ rule: "self.imag != ''", message: "x" })), [
      `  spec.rules[0].rule: Invalid value: "self.imag != ''": compilation failed: ERROR: <input>:1:5: undefined field 'imag'`,
      "     | self.imag != ''",
      "     | ....^",
    ]);
  });

  it("explain self to a field rule that uses self.spec", () => {
    const [, , , hint] = complaints(s.object({ image: s.string() }).rule({ rule: "self.spec.image != ''" }));

    assert.equal(
      hint,
      "    In the rule of a field, self is the value of that field. Move a rule that uses self.spec to the rules of the resource.",
    );
  });

  it("name the builder method that sets the missing limit", () => {
    const names = s.list(s.string()).set();
    const [, hint] = complaints(
      s.object({ names }).rule({ rule: "self.names.all(x, self.names.all(y, x.contains(y)))" }),
    );

    assert.equal(hint, "    Set .max() on spec.names, .max() on spec.names[*].");
  });

  it("suggest a list type for a list of objects that cannot be a set", () => {
    const [, hint] = complaints({ ports: s.list(s.object({ name: s.string() })).set() });

    assert.equal(hint, '    End the list with .mapBy("key") or .atomic(), or make its items .atomic().');
  });

  it("ask for a version if there is none", () => {
    assert.throws(
      // @ts-expect-error a program without types can leave it out
      () => defineResource({ group: "a.example.com", kind: "Site" }),
      { code: "DEFINITION", message: /version: Required value: set version, such as v1/ },
    );
  });
});
