import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { isEqual } from "@homeostat/core";
import { DecodeError } from "./decode-error.ts";
import { encodeJson } from "./encode-json.ts";
import { readJson } from "./read-value.ts";

interface TextCase {
  in?: string;
  bytes?: string;
  error?: string;
  repeated?: string[];
  json?: string;
}

const { texts } = JSON.parse(readFileSync(new URL("../../vectors/json-text.json", import.meta.url), "utf8")) as {
  texts: TextCase[];
};

describe("JSON parsing compared with Kubernetes", () => {
  it("refuses the same texts with the same messages", () => {
    const refused = texts.filter((each) => each.error !== undefined);

    const wrong = refused.filter((each) => refusal(each) !== each.error).map((each) => [each, refusal(each)]);

    assert.ok(refused.length > 500);
    assert.deepEqual(wrong, []);
  });

  it("returns the same values and duplicates", () => {
    const accepted = texts.filter((each) => each.error === undefined);

    const wrong = accepted.filter((each) => {
      const read = readJson(bytesOf(each));
      const isSame = isEqual(read.value, readJson(each.json ?? "").value);
      const isRecord = typeof read.value === "object" && !Array.isArray(read.value) && read.value !== null;
      return !isSame || (isRecord && !isEqual(read.duplicates, each.repeated ?? []));
    });

    assert.ok(accepted.length > 100);
    assert.deepEqual(wrong, []);
  });

  it("serializes values to text that parses to the same value", () => {
    const accepted = texts.filter((each) => each.error === undefined);

    const wrong = accepted.filter((each) => {
      const { value } = readJson(bytesOf(each));
      return !isEqual(readJson(encodeJson(value)).value, value);
    });

    assert.deepEqual(wrong, []);
  });
});

function bytesOf(each: TextCase): Uint8Array {
  return each.bytes === undefined ? Buffer.from(each.in ?? "") : Buffer.from(each.bytes, "base64");
}

function refusal(each: TextCase): string | undefined {
  try {
    readJson(bytesOf(each));
    return undefined;
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
}
