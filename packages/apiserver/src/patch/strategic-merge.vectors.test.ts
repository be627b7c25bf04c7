import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { isEqual, type JsonRecord } from "@homeostat/core";
import { encodeJson } from "../codec/encode-json.ts";
import { readJson } from "../codec/read-value.ts";
import { typeTable } from "../codec/type-table.ts";
import { ServerPatchError } from "./patch-failure.ts";
import { applyStrategicPatch } from "./strategic-merge.ts";

interface PatchCase {
  apiVersion: string;
  kind: string;
  original: string;
  patch: string;
  error?: string;
  panics?: true;
  result?: string;
}

const { patches } = JSON.parse(
  readFileSync(new URL("../../vectors/strategic-patch.json", import.meta.url), "utf8"),
) as { patches: PatchCase[] };
// Patches that are not objects are refused before the merge.
const cases = patches.filter((each) => /^\s*\{.*\}\s*$/s.test(each.patch));

describe("strategic merge patches compared with the library of kube-apiserver", () => {
  it("give the same results", () => {
    const good = cases.filter((each) => each.result !== undefined);

    const wrong = good
      .map((each) => [each, outcomeOf(each)] as const)
      .filter(([each, found]) => typeof found === "string" || !isEqual(found, readJson(each.result ?? "").value));

    assert.ok(good.length > 300);
    assert.deepEqual(
      wrong.slice(0, 4).map(([each, found]) => [each, typeof found === "string" ? found : encodeJson(found)]),
      [],
      `${wrong.length} of ${good.length}`,
    );
  });

  it("fail with the same messages", () => {
    const bad = cases.filter((each) => each.error !== undefined);

    const wrong = bad.map((each) => [each, outcomeOf(each)] as const).filter(([each, found]) => found !== each.error);

    assert.ok(bad.length > 50);
    assert.deepEqual(wrong.slice(0, 4), [], `${wrong.length} of ${bad.length}`);
  });

  it("are refused where the library panics", () => {
    const fatal = cases.filter((each) => each.panics === true);

    const survivors = fatal.filter((each) => typeof outcomeOf(each) !== "string");

    assert.ok(fatal.length > 0);
    assert.deepEqual(survivors, []);
  });

  it("do not change the object and the patch", () => {
    const changed = cases.filter((each) => {
      const object = readJson(each.original).value;
      const patch = readJson(each.patch).value;
      const before = encodeJson([object, patch]);
      outcomeOf(each, object, patch);
      return encodeJson([object, patch]) !== before;
    });

    assert.deepEqual(changed, []);
  });
});

function outcomeOf(
  each: PatchCase,
  object: unknown = readJson(each.original).value,
  patch: unknown = readJson(each.patch).value,
): JsonRecord | string {
  const type = typeTable().kindType(each.apiVersion, each.kind);
  assert.ok(type !== undefined);
  try {
    return applyStrategicPatch(type, object as JsonRecord, patch as JsonRecord);
  } catch (error) {
    if (error instanceof ServerPatchError) return error.message;
    throw error;
  }
}
