import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { invalidField, requiredField } from "@homeostat/schema";
import { findingOf, invalidMessage } from "./problem-findings.ts";

const site = { group: "example.com", kind: "Site" };

describe("findingOf", () => {
  it("keeps the field, message and reason of a problem", () => {
    assert.deepEqual(findingOf(requiredField("spec.name", "name it")), {
      field: "spec.name",
      message: "Required value: name it",
      reason: "FieldValueRequired",
    });
  });

  it("omits reasons that clients do not know, and has no field for the whole object", () => {
    const problem = { ...invalidField("", 1, "no"), type: "TypeInvalid" } as const;

    assert.deepEqual(findingOf(problem), { field: "<nil>", message: "Invalid value: 1: no" });
  });
});

describe("invalidMessage", () => {
  const cause = { reason: "FieldValueInvalid", message: "Invalid value: 0: must be positive", field: "spec.size" };

  it("formats a denial as the API server does", () => {
    assert.equal(
      invalidMessage(site, "a", [cause]),
      'Site.example.com "a" is invalid: spec.size: Invalid value: 0: must be positive',
    );
    assert.equal(
      invalidMessage(site, "a", [cause, { reason: "FieldValueInvalid", message: "broken" }]),
      'Site.example.com "a" is invalid: [spec.size: Invalid value: 0: must be positive, broken]',
    );
  });
});
