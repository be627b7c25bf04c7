import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PersistentVolumeClaim } from "@homeostat/kubernetes/core/v1";
import { decideStorage } from "./storage.ts";

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
    const growth = decideStorage({
      desired: "1Gi",
      template: "1024Mi",
      claims: [claim("a", "1Gi", "1Gi"), claim("b", "1073741824", "2Gi")],
      canExpand: undefined,
    });

    assert.deepEqual(growth, { state: "settled" });
  });

  it("is settled where there is nothing yet", () => {
    assert.deepEqual(decideStorage({ desired: "1Gi", template: undefined, claims: [], canExpand: undefined }), {
      state: "settled",
    });
  });

  for (const canExpand of [true, undefined]) {
    it(`asks for more where the class ${canExpand === true ? "lets it" : "is not known"}, and for the template later`, () => {
      const claims = [claim("a", "2Gi", "1Gi"), claim("b", "1Gi", "1Gi")];

      const growth = decideStorage({ desired: "2Gi", template: "1Gi", claims, canExpand });

      assert.equal(growth.state, "growing");
      assert.deepEqual(growth.state === "growing" && [growth.claims, growth.isTemplateOld], [["b"], false]);
    });
  }

  it("makes the StatefulSet anew once all claims ask for enough, and waits for the volumes", () => {
    const claims = [claim("a", "2Gi", "2Gi"), claim("b", "2Gi", "1Gi")];

    const growth = decideStorage({ desired: "2Gi", template: "1Gi", claims, canExpand: true });
    const later = decideStorage({ desired: "2Gi", template: "2Gi", claims, canExpand: true });

    assert.deepEqual(growth, { state: "growing", claims: [], isTemplateOld: true, message: "waiting for b" });
    assert.deepEqual(later, { state: "growing", claims: [], isTemplateOld: false, message: "waiting for b" });
  });

  it("makes the StatefulSet anew where no claim was made yet", () => {
    const growth = decideStorage({ desired: "2Gi", template: "1Gi", claims: [], canExpand: true });

    assert.equal(growth.state === "growing" && growth.isTemplateOld, true);
  });

  it("changes nothing where the class does not let volumes grow", () => {
    const growth = decideStorage({ desired: "2Gi", template: "1Gi", claims: [claim("a", "1Gi")], canExpand: false });

    assert.equal(growth.state === "refused" && growth.reason, "ExpansionNotSupported");
  });

  it("never shrinks a claim or the template", () => {
    const byClaim = decideStorage({
      desired: "1Gi",
      template: "1Gi",
      claims: [claim("a", "2Gi", "2Gi")],
      canExpand: true,
    });
    const byTemplate = decideStorage({ desired: "1Gi", template: "2Gi", claims: [], canExpand: true });

    assert.equal(byClaim.state === "refused" && byClaim.reason, "ShrinkNotSupported");
    assert.equal(byTemplate.state === "refused" && byTemplate.reason, "ShrinkNotSupported");
  });
});
