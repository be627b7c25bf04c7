import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { structural, structuralDefinition } from "./structural.ts";

const reference = (definition: string): string => `${definition}.schema`;

describe("structural", () => {
  it("refers to small schemas and other definitions instead of repeating them", () => {
    assert.equal(structural({ type: "string" }, reference), "string");
    assert.equal(structural({ $ref: "container", default: {} }, reference), "container.schema");
    assert.equal(
      structural({ type: "array", items: { type: "string" }, "x-kubernetes-list-type": "atomic" }, reference),
      "strings",
    );
  });

  it("keeps list types and explicit defaults, and drops descriptions and enums", () => {
    assert.equal(
      structural(
        {
          type: "array",
          description: "Ports.",
          items: { $ref: "port" },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["port", "protocol"],
        },
        reference,
      ),
      '{ type: "array", items: port.schema, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port", "protocol"] }',
    );
    assert.equal(
      structural({ type: "string", default: "TCP", enum: ["TCP", "UDP"] }, reference),
      '{ type: "string", default: "TCP" }',
    );
  });

  it("lets a field extend the schema of the type it refers to", () => {
    assert.equal(
      structural({ $ref: "target", "x-kubernetes-map-type": "granular" }, reference),
      '{ ...target.schema, "x-kubernetes-map-type": "granular" }',
    );
  });
});

describe("structuralDefinition", () => {
  it("sorts properties and required fields", () => {
    const text = structuralDefinition(
      { properties: { b: { type: "boolean" }, a: { type: "string" } }, required: ["b", "a"] },
      reference,
    );

    assert.equal(
      text,
      '{\n  type: "object",\n  properties: {\n    a: string,\n    b: boolean,\n  },\n  required: ["a", "b"],\n}',
    );
  });
});
