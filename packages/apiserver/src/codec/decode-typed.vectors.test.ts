import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { isEqual, type JsonRecord } from "@homeostat/core";
import { DecodeError } from "./decode-error.ts";
import { encodeJson } from "./encode-json.ts";
import { decodeRequestObject, type RequestObject } from "./request-object.ts";
import { readJson } from "./read-value.ts";

interface ObjectCase {
  apiVersion: string;
  kind: string;
  in: string;
  error?: string;
  strict?: string[];
  json?: string;
}

const { objects } = JSON.parse(readFileSync(new URL("../../vectors/decode.json", import.meta.url), "utf8")) as {
  objects: ObjectCase[];
};

describe("typed JSON decoding compared with Kubernetes", () => {
  it("refuses the same texts with the same messages", () => {
    const refused = objects.filter((each) => each.error !== undefined);

    const wrong = refused
      .filter(
        (each) => decode(each) !== each.error?.replace(/in scheme ".*"$/, 'in scheme "pkg/runtime/scheme.go:111"'),
      )
      .map((each) => [each, decode(each)]);

    assert.ok(refused.length > 300);
    assert.deepEqual(wrong.slice(0, 8), [], `${wrong.length} of ${refused.length}`);
  });

  it("returns the same objects and strict errors", () => {
    const accepted = objects.filter((each) => each.error === undefined);

    const wrong = accepted
      .map((each) => [each, decode(each)] as const)
      .filter(
        ([each, read]) =>
          typeof read === "string" ||
          !isEqual(read.object, expected(each, read)) ||
          !isEqual(read.strictErrors, each.strict ?? []),
      );

    assert.ok(accepted.length > 150);
    assert.deepEqual(
      wrong
        .slice(0, 5)
        .map(([each, read]) => [each, typeof read === "string" ? read : [encodeJson(read.object), read.strictErrors]]),
      [],
      `${wrong.length} of ${accepted.length}`,
    );
  });
});

/** Returns the object as Go serialized it, with the kind that the input may omit. */
function expected(each: ObjectCase, { kind, apiVersion }: RequestObject): JsonRecord {
  return { ...(readJson(each.json ?? "").value as JsonRecord), kind, apiVersion };
}

function decode(each: ObjectCase): RequestObject | string {
  try {
    return decodeRequestObject(each.in, { apiVersion: each.apiVersion, kind: each.kind });
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
}
