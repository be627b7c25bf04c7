import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PersistentVolumeClaim } from "@homeostat/kubernetes/core/v1";
import { growthOf } from "./storage-growth.ts";

function claim(name: string, request: string, capacity?: string): PersistentVolumeClaim {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name },
    spec: { resources: { requests: { storage: request } } },
    ...(capacity !== undefined && { status: { capacity: { storage: capacity } } }),
  };
}

describe("growth of storage", () => {
  it("is settled when every claim has the size, however it is written", () => {
    const growth = growthOf({
      wanted: "1Gi",
      template: "1024Mi",
      claims: [claim("a", "1Gi", "1Gi"), claim("b", "1073741824", "2Gi")],
      canExpand: undefined,
    });

    assert.deepEqual(growth, { at: "settled" });
  });

  it("is settled where there is nothing yet", () => {
    assert.deepEqual(growthOf({ wanted: "1Gi", template: undefined, claims: [], canExpand: undefined }), {
      at: "settled",
    });
  });

  for (const canExpand of [true, undefined]) {
    it(`asks for more where the class ${canExpand === true ? "lets it" : "is not known"}, and for the template later`, () => {
      const claims = [claim("a", "2Gi", "1Gi"), claim("b", "1Gi", "1Gi")];

      const growth = growthOf({ wanted: "2Gi", template: "1Gi", claims, canExpand });

      assert.equal(growth.at, "growing");
      assert.deepEqual(growth.at === "growing" && [growth.claims, growth.isTemplateOld], [["b"], false]);
    });
  }

  it("makes the StatefulSet anew once all claims ask for enough, and waits for the volumes", () => {
    const claims = [claim("a", "2Gi", "2Gi"), claim("b", "2Gi", "1Gi")];

    const growth = growthOf({ wanted: "2Gi", template: "1Gi", claims, canExpand: true });
    const later = growthOf({ wanted: "2Gi", template: "2Gi", claims, canExpand: true });

    assert.deepEqual(growth, { at: "growing", claims: [], isTemplateOld: true, message: "waiting for b" });
    assert.deepEqual(later, { at: "growing", claims: [], isTemplateOld: false, message: "waiting for b" });
  });

  it("makes the StatefulSet anew where no claim was made yet", () => {
    const growth = growthOf({ wanted: "2Gi", template: "1Gi", claims: [], canExpand: true });

    assert.equal(growth.at === "growing" && growth.isTemplateOld, true);
  });

  it("changes nothing where the class does not let volumes grow", () => {
    const growth = growthOf({ wanted: "2Gi", template: "1Gi", claims: [claim("a", "1Gi")], canExpand: false });

    assert.equal(growth.at === "refused" && growth.reason, "ExpansionNotSupported");
  });

  it("never shrinks a claim or the template", () => {
    const byClaim = growthOf({ wanted: "1Gi", template: "1Gi", claims: [claim("a", "2Gi", "2Gi")], canExpand: true });
    const byTemplate = growthOf({ wanted: "1Gi", template: "2Gi", claims: [], canExpand: true });

    assert.equal(byClaim.at === "refused" && byClaim.reason, "ShrinkNotSupported");
    assert.equal(byTemplate.at === "refused" && byTemplate.reason, "ShrinkNotSupported");
  });
});
