import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PersistentVolumeClaim } from "@homeostat/kubernetes/core/v1";
import { decideVolumeGrowth } from "./decide-growth.ts";

function claim(name: string, request: string, capacity?: string): PersistentVolumeClaim {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name },
    spec: { resources: { requests: { storage: request } } },
    ...(capacity !== undefined && { status: { capacity: { storage: capacity } } }),
  };
}

describe("decideVolumeGrowth", () => {
  it("is settled when every claim has the size, in any notation", () => {
    const growth = decideVolumeGrowth({
      desired: "1Gi",
      template: "1024Mi",
      claims: [claim("a", "1Gi", "1Gi"), claim("b", "1073741824", "2Gi")],
      canExpand: undefined,
    });

    assert.deepEqual(growth, { state: "settled" });
  });

  it("is settled without a StatefulSet and claims", () => {
    assert.deepEqual(decideVolumeGrowth({ desired: "1Gi", template: undefined, claims: [], canExpand: undefined }), {
      state: "settled",
    });
  });

  for (const canExpand of [true, undefined]) {
    it(`raises requests when the class ${canExpand === true ? "allows expansion" : "is unknown"}, before the template`, () => {
      const claims = [claim("a", "2Gi", "1Gi"), claim("b", "1Gi", "1Gi")];

      const growth = decideVolumeGrowth({ desired: "2Gi", template: "1Gi", claims, canExpand });

      assert.equal(growth.state, "growing");
      assert.deepEqual(growth.state === "growing" && [growth.claims, growth.isTemplateOld], [["b"], false]);
    });
  }

  it("recreates the StatefulSet when all claims request enough, and waits for the volumes", () => {
    const claims = [claim("a", "2Gi", "2Gi"), claim("b", "2Gi", "1Gi")];

    const growth = decideVolumeGrowth({ desired: "2Gi", template: "1Gi", claims, canExpand: true });
    const later = decideVolumeGrowth({ desired: "2Gi", template: "2Gi", claims, canExpand: true });

    assert.deepEqual(growth, { state: "growing", claims: [], isTemplateOld: true, message: "waiting for b" });
    assert.deepEqual(later, { state: "growing", claims: [], isTemplateOld: false, message: "waiting for b" });
  });

  it("recreates the StatefulSet when there are no claims yet", () => {
    const growth = decideVolumeGrowth({ desired: "2Gi", template: "1Gi", claims: [], canExpand: true });

    assert.equal(growth.state === "growing" && growth.isTemplateOld, true);
  });

  it("changes nothing when the class does not allow expansion", () => {
    const growth = decideVolumeGrowth({
      desired: "2Gi",
      template: "1Gi",
      claims: [claim("a", "1Gi")],
      canExpand: false,
    });

    assert.equal(growth.state === "refused" && growth.reason, "ExpansionNotSupported");
  });

  it("never shrinks a claim or the template", () => {
    const byClaim = decideVolumeGrowth({
      desired: "1Gi",
      template: "1Gi",
      claims: [claim("a", "2Gi", "2Gi")],
      canExpand: true,
    });
    const byTemplate = decideVolumeGrowth({ desired: "1Gi", template: "2Gi", claims: [], canExpand: true });

    assert.equal(byClaim.state === "refused" && byClaim.reason, "ShrinkNotSupported");
    assert.equal(byTemplate.state === "refused" && byTemplate.reason, "ShrinkNotSupported");
  });
});
