import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonRecord } from "@homeostat/core";
import { fuzz } from "@homeostat/fuzz";
import { DecodeError } from "../codec/decode-error.ts";
import { decodeRequestObject } from "../codec/request-object.ts";
import { applyKindDefaults } from "../kinds/apply-defaults.ts";
import { checkNewDefinition } from "./check-definition.ts";
import { restoreMetadata } from "./restore-metadata.ts";
import { readDefinition } from "./definition.ts";
import { definition, version } from "../testing/crd-definition.ts";
import { definitionWarnings, prepareNewDefinition } from "./prepare-definition.ts";
import { readReview } from "./review.ts";

const pieces = [
  '"',
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  "null",
  "true",
  "-1",
  "1e400",
  "99999999999999999999",
  '"__proto__":',
  '"constructor":{}',
  "\n- ",
  "&a *a",
  '"type":"object"',
  '"x-kubernetes-validations":[{"rule":"self"}]',
  '"default":{}',
];

describe("malformed responses of conversion webhooks", () => {
  it("are parsed or refused", () => {
    const object: JsonRecord = {
      apiVersion: "a.b/v1",
      kind: "T",
      metadata: { name: "n", uid: "u", labels: { a: "b" } },
    };
    const converted = { ...object, apiVersion: "a.b/v2", spec: { a: [1, { b: null }] } };
    const response = { uid: "u", result: { status: "Success" }, convertedObjects: [converted] };
    const sample = JSON.stringify({ kind: "ConversionReview", apiVersion: "apiextensions.k8s.io/v1", response });
    const review = { uid: "u", apiVersion: "apiextensions.k8s.io/v1", text: "" };
    let taken = 0;

    fuzz({
      count: 100_000,
      input: (chance) => chance.mutate(sample, pieces),
      run: (text) => {
        const read = readReview(text, review);
        if ("problem" in read) return assert.equal(typeof read.problem, "string");
        const result = restoreMetadata(object, read.objects[0], "a.b/v2", 0);
        if ("object" in result) taken += 1;
        return undefined;
      },
      isExpected: () => false,
    });

    assert.ok(taken > 10 && taken < 99_000, `${taken} taken over`);
  });
});

describe("malformed definitions", () => {
  it("are validated or refused", () => {
    const rules = [{ rule: "self.a > 0", message: "m" }];
    const openAPIV3Schema = {
      type: "object",
      properties: {
        spec: { type: "object", properties: { a: { type: "integer", default: 1 } }, "x-kubernetes-validations": rules },
      },
    };
    const columns = [{ name: "A", type: "integer", jsonPath: ".spec.a" }];
    const over = {
      schema: { openAPIV3Schema },
      additionalPrinterColumns: columns,
      selectableFields: [{ jsonPath: ".spec.a" }],
    };
    const sample = JSON.stringify(definition({ versions: [version("v1", over), version("v2")] }));
    const expected = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };
    let accepted = 0;

    fuzz({
      count: 3_000,
      input: (chance) => chance.mutate(sample, pieces),
      run: (text) => {
        const { object: sent } = decodeRequestObject(text, expected);
        const object = applyKindDefaults("apiextensions.k8s.io", "v1", expected.kind, sent);
        prepareNewDefinition(object);
        const problems = checkNewDefinition(object);
        definitionWarnings(object, undefined);
        readDefinition(object);
        if (problems.length === 0) accepted += 1;
      },
      isExpected: (error) => error instanceof DecodeError,
    });

    assert.ok(accepted > 10 && accepted < 2_900, `${accepted} accepted`);
  });

  it("are refused or accepted without error if they are nested deep", () => {
    let schema: JsonRecord = { type: "string" };
    for (let depth = 0; depth < 5_000; depth += 1) schema = { type: "object", properties: { a: schema } };
    const object = definition({ versions: [version("v1", { schema: { openAPIV3Schema: schema } })] });
    prepareNewDefinition(object);

    const problems = checkNewDefinition(object);

    assert.ok(problems.length > 0);
  });
});
