import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonRecord } from "@homeostat/core";
import type { FieldStrictness } from "../codec/request-body.ts";
import { StatusError } from "../status/status.ts";
import { type PatchedObject, patchObject, type PatchRequest, readApplyBody, readPatchType } from "./patch-request.ts";

const current: JsonRecord = {
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name: "c", finalizers: ["a.b/c"] },
  data: { a: "1" },
};

describe("patchObject", () => {
  it("applies patches of every type to a copy of the object", () => {
    const before = JSON.stringify(current);

    const json = patch("json", '[{"op":"add","path":"/data/b","value":"2"}]');
    const merge = patch("merge", '{"data":{"a":null,"b":"2"}}');
    const strategic = patch("strategic-merge", '{"metadata":{"finalizers":["d.e/f"]},"data":{"b":"2"}}');

    assert.deepEqual(json.object["data"], { a: "1", b: "2" });
    assert.deepEqual(merge.object["data"], { b: "2" });
    assert.deepEqual(strategic.object["metadata"], { name: "c", finalizers: ["d.e/f", "a.b/c"] });
    assert.equal(JSON.stringify(current), before);
  });

  it("refuses a malformed patch with 400", () => {
    assert.equal(
      refusal("json", "{}").message,
      "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
    );
    assert.equal(
      refusal("json", "{}", "Ignore").message,
      "json: cannot unmarshal object into Go value of type jsonpatch.Patch",
    );
    assert.equal(refusal("merge", "{", "Ignore").message, "Invalid JSON Patch");
    assert.equal(refusal("strategic-merge", "{").message, "unexpected end of JSON input");
    assert.equal(refusal("strategic-merge", "{").code, 400);
  });

  it("refuses a patch that cannot be applied with 422 without details", () => {
    const status = refusal("json", '[{"op":"test","path":"/data/a","value":"2"}]');

    assert.equal(status.code, 422);
    assert.equal(status.message, "the server rejected our request due to an error in our request");
    assert.deepEqual(status.details, {});
  });

  it("refuses a patch with an invalid result with 422", () => {
    const status = refusal("merge", '{"data":{"a":1}}');

    assert.equal(status.code, 422);
    assert.equal(status.details?.causes?.[0]?.field, "patch");
    assert.match(status.message ?? "", /cannot unmarshal number into Go struct field ConfigMap\.data of type string$/);
  });

  it("warns about unknown fields or refuses them", () => {
    const body = '{"foo":1,"data":{"a":"1","a":"2"}}';

    assert.deepEqual(patch("merge", body).warnings, ['duplicate field "data.a"', 'unknown field "foo"']);
    assert.deepEqual(patch("strategic-merge", body).warnings, ['duplicate field "data.a"', 'unknown field "foo"']);
    assert.equal(refusal("merge", body, "Strict").code, 422);
    assert.equal(refusal("strategic-merge", body, "Strict").code, 422);
  });

  it("refuses too many operations with 413", () => {
    const operations = Array.from({ length: 10_001 }, () => ({ op: "test", path: "/kind", value: "ConfigMap" }));

    assert.equal(refusal("json", JSON.stringify(operations)).code, 413);
  });
});

describe("readPatchType", () => {
  it("accepts the known media types, without strategic merge for custom resources", () => {
    const strategic = "application/strategic-merge-patch+json";

    assert.equal(readPatchType(`${strategic}; charset=utf-8`, { isCustom: false }), strategic);
    assert.throws(
      () => readPatchType(strategic, { isCustom: true }),
      /accepted media types include: application\/json-patch/,
    );
    assert.throws(() => readPatchType("application/json", { isCustom: false }), /415: Unsupported Media Type/);
  });
});

describe("readApplyBody", () => {
  it("accepts YAML and JSON", () => {
    assert.deepEqual(readApplyBody(Buffer.from("a:\n  b: 1\n"), "").object, { a: { b: 1 } });
    assert.deepEqual(readApplyBody(Buffer.from('{"a":{"b":1}}'), "").object, { a: { b: 1 } });
  });

  it("refuses a body that is neither", () => {
    assert.throws(
      () => readApplyBody(Buffer.from("a: ["), ""),
      /^StatusError: error decoding YAML: error converting YAML to JSON: yaml: line/,
    );
    assert.throws(() => readApplyBody(Buffer.from("a: 1\na: 2\n"), "Strict"), /key "a" already set in map/);
  });
});

type Form = "json" | "merge" | "strategic-merge";

function patch(form: Form, body: string, fieldValidation: FieldStrictness = ""): PatchedObject {
  const types = {
    json: "application/json-patch+json",
    merge: "application/merge-patch+json",
    "strategic-merge": "application/strategic-merge-patch+json",
  } as const;
  const type: PatchRequest["type"] = types[form];
  const expected = { apiVersion: "v1", kind: "ConfigMap" };
  return patchObject({ type, body: Buffer.from(body), current, expected, isCustom: false, fieldValidation });
}

function refusal(form: Form, body: string, fieldValidation: FieldStrictness = ""): StatusError["status"] {
  try {
    patch(form, body, fieldValidation);
  } catch (error) {
    if (error instanceof StatusError) return error.status;
    throw error;
  }
  throw new assert.AssertionError({ message: "it was applied" });
}
