import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { orderSchema } from "./order-schema.ts";

describe("orderSchema", () => {
  it("sorts keywords at every depth and keeps the order of properties", () => {
    const ordered = orderSchema({
      "x-kubernetes-validations": [{ message: "m", fieldPath: ".b", rule: "r" }],
      properties: { b: { maxLength: 1, type: "string" }, a: { items: { minimum: 1, type: "integer" }, type: "array" } },
      required: ["b"],
      type: "object",
      description: "d",
    });

    assert.equal(
      JSON.stringify(ordered),
      JSON.stringify({
        description: "d",
        type: "object",
        required: ["b"],
        properties: {
          b: { type: "string", maxLength: 1 },
          a: { type: "array", items: { type: "integer", minimum: 1 } },
        },
        "x-kubernetes-validations": [{ rule: "r", message: "m", fieldPath: ".b" }],
      }),
    );
  });

  it("changes nothing but the order", () => {
    const schema = {
      anyOf: [{ type: "integer" as const }, { type: "string" as const }],
      not: { enum: [1] },
      additionalProperties: { pattern: "x", type: "string" as const },
    };

    assert.deepEqual(orderSchema(schema), schema);
  });
});
