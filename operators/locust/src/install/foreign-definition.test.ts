import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toCrd } from "@homeostat/schema";
import { LocustTest } from "../api/locust-test.ts";
import { ForeignDefinitionError, refuseForeignDefinition } from "./foreign-definition.ts";

describe("a definition that is there already", () => {
  it("is fine when there is none, when it is ours, and when it has no v1", () => {
    refuseForeignDefinition(undefined);
    refuseForeignDefinition(toCrd(LocustTest));
    refuseForeignDefinition({ spec: { versions: [{ name: "v2" }] } });
  });

  it("is refused when its v1 is another's", () => {
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
