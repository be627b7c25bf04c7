import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { applyStrategicMergePatch, isEqual, StrategicPatchError, strategicType } from "@homeostat/core";
import { strategicTypes } from "./generated/strategic-types.ts";

interface PatchCase {
  apiVersion: string;
  kind: string;
  original: string;
  patch: string;
  error?: string;
  result?: string;
}

const { patches } = JSON.parse(
  readFileSync(new URL("../../apiserver/vectors/strategic-patch.json", import.meta.url), "utf8"),
) as { patches: PatchCase[] };

const cases = patches.flatMap((each) => {
  const module = each.apiVersion === "v1" ? "core/v1" : each.apiVersion;
  const name = `${module}.${each.kind}`;
  const isObject = /^\s*\{.*\}\s*$/s.test(each.patch);
  return isObject && Object.hasOwn(strategicTypes, name)
    ? [{ ...each, type: strategicType(strategicTypes, name) }]
    : [];
});

describe("generated rules of strategic merge patches", () => {
  it("give the results that the library of kube-apiserver gives", () => {
    const good = cases.filter((each) => each.result !== undefined);

    const wrong = good.filter((each) => {
      const found = applyStrategicMergePatch(JSON.parse(each.original), JSON.parse(each.patch), each.type);
      return !isEqual(found, JSON.parse(each.result ?? ""));
    });

    assert.ok(good.length > 100, `${good.length} cases`);
    assert.deepEqual(wrong.slice(0, 3), [], `${wrong.length} of ${good.length}`);
  });

  it("refuse the patches that the library refuses", () => {
    const bad = cases.filter((each) => each.error !== undefined);

    const accepted = bad.filter((each) => {
      try {
        applyStrategicMergePatch(JSON.parse(each.original), JSON.parse(each.patch), each.type);
        return true;
      } catch (error) {
        assert.ok(error instanceof StrategicPatchError, String(error));
        return false;
      }
    });

    assert.ok(bad.length > 20, `${bad.length} cases`);
    assert.deepEqual(accepted.slice(0, 3), [], `${accepted.length} of ${bad.length}`);
  });
});
