import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toCrd } from "@homeostat/schema";
import { LocustTest } from "../api/locust-test.ts";
import { ForeignDefinitionError, refuseForeignDefinition } from "./foreign-definition.ts";

describe("refuseForeignDefinition", () => {
  it("accepts a missing CRD, the CRD of this operator, and one without v1", () => {
    refuseForeignDefinition(undefined);
    refuseForeignDefinition(toCrd(LocustTest));
    refuseForeignDefinition({ spec: { versions: [{ name: "v2" }] } });
  });

  it("refuses a CRD whose v1 belongs to another product", () => {
    const foreign = {
      spec: {
        versions: [
          { name: "v1", schema: { openAPIV3Schema: { properties: { spec: { properties: { image: {} } } } } } },
        ],
      },
    };

    assert.throws(
      () => refuseForeignDefinition(foreign),
      (error) => error instanceof ForeignDefinitionError && /of another product/.test(error.message),
    );
    assert.throws(() => refuseForeignDefinition({ spec: { versions: [{ name: "v1" }] } }), ForeignDefinitionError);
  });
});
