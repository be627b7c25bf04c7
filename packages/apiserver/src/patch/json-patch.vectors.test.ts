import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { isEqual, isRecord, type JsonRecord } from "@homeostat/core";
import { DecodeError } from "../codec/decode-error.ts";
import { encodeJson } from "../codec/encode-json.ts";
import { readJson } from "../codec/read-value.ts";
import { applyServerJsonPatch } from "./json-patch.ts";
import { applyServerMergePatch } from "./merge-patch.ts";
import { ServerPatchError } from "./patch-failure.ts";

interface PatchCase {
  document: string;
  patch: string;
  malformed?: string;
  error?: string;
  panics?: true;
  result?: string;
}

const vectors = JSON.parse(readFileSync(new URL("../../vectors/json-patch.json", import.meta.url), "utf8")) as {
  patches: PatchCase[];
  merges: PatchCase[];
};

describe("JSON patches compared with the library of kube-apiserver", () => {
  it("give the same results", () => {
    const good = vectors.patches.filter((each) => each.result !== undefined);

    const wrong = good.map((each) => [each, outcomeOf(each)]).filter(([each, found]) => !isSame(each, found));

    assert.ok(good.length > 80);
    assert.deepEqual(wrong.slice(0, 5), [], `${wrong.length} of ${good.length}`);
  });

  it("fail with the same messages", () => {
    const bad = vectors.patches.filter((each) => each.result === undefined && each.panics === undefined);

    const wrong = bad.map((each) => [each, outcomeOf(each)]).filter(([each, found]) => !isSame(each, found));

    assert.ok(bad.length > 300);
    assert.deepEqual(wrong.slice(0, 5), [], `${wrong.length} of ${bad.length}`);
  });
});

describe("merge patches compared with the library of kube-apiserver", () => {
  it("give the same results", () => {
    const good = vectors.merges.filter((each) => each.result !== undefined && isRecord(read(each.patch)));

    const wrong = good
      .map((each) => [each, applyServerMergePatch(read(each.document) as JsonRecord, read(each.patch) as JsonRecord)])
      .filter(([each, found]) => !isEqual(found, read((each as PatchCase).result ?? "")));

    assert.ok(good.length > 190);
    assert.deepEqual(wrong.slice(0, 5), [], `${wrong.length} of ${good.length}`);
  });
});

function outcomeOf(each: PatchCase): { result?: string; error?: string; malformed?: string } {
  try {
    return { result: encodeJson(applyServerJsonPatch(readJson(each.document).value, each.patch)) };
  } catch (error) {
    if (!(error instanceof ServerPatchError)) throw error;
    return error.failure === "malformed" ? { malformed: error.message } : { error: error.message };
  }
}

function isSame(each: unknown, found: unknown): boolean {
  const wanted = each as PatchCase;
  const got = found as PatchCase;
  return (
    wanted.error === got.error &&
    wanted.malformed === got.malformed &&
    (wanted.result === undefined) === (got.result === undefined) &&
    (wanted.result === undefined || isEqual(read(wanted.result), read(got.result ?? "")))
  );
}

function read(text: string): unknown {
  try {
    return readJson(text).value;
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}
