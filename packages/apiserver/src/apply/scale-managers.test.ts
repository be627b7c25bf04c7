import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { scaleManagers, type ScalePaths } from "./scale-managers.ts";

const paths: ScalePaths = new Map<string, readonly string[] | undefined>([
  ["example.com/v1", ["spec", "replicas"]],
  ["example.com/v2", ["spec", "size", "count"]],
  ["example.com/v3", undefined],
]);

function entry(manager: string, apiVersion: string, fieldsV1: unknown, subresource?: string): Record<string, unknown> {
  const base = {
    manager,
    operation: "Update",
    apiVersion,
    time: "2026-01-01T00:00:00Z",
    fieldsType: "FieldsV1",
    fieldsV1,
  };
  return subresource === undefined ? base : { ...base, subresource };
}

const inOne = { "f:spec": { "f:replicas": {}, "f:text": {} } };
const inTwo = { "f:spec": { "f:size": { "f:count": {} } } };
const scale = { "f:spec": { "f:replicas": {} } };

describe("scaleManagers", () => {
  it("returns the managers that own the replica count, whatever its path in their version", () => {
    const managedFields = [
      entry("a", "example.com/v1", inOne),
      entry("b", "example.com/v1", { "f:spec": { "f:text": {} } }),
      entry("c", "example.com/v2", inTwo),
      entry("d", "example.com/v3", inOne),
      entry("e", "example.com/v9", inOne),
    ];

    const shown = scaleManagers(managedFields, "example.com/v1", paths).toScale();

    assert.deepEqual(shown, [entry("a", "autoscaling/v1", scale), entry("c", "autoscaling/v1", scale)]);
  });

  it("restores the managers of the object if nothing changed", () => {
    const managedFields = [entry("a", "example.com/v1", inOne)];
    const managers = scaleManagers(managedFields, "example.com/v1", paths);

    // An Update entry is per version, so the restored entry must have the version of the object.
    assert.deepEqual(managers.toObject(managedFields), managedFields);
  });

  it("takes the replica count from other managers after scaling", () => {
    const managedFields = [entry("a", "example.com/v1", inOne), entry("b", "example.com/v1", scale)];
    const scaled = [entry("hpa", "autoscaling/v1", scale, "scale")];

    const shown = scaleManagers(managedFields, "example.com/v1", paths).toObject(scaled);

    const { time: _, ...newcomer } = entry("hpa", "example.com/v1", scale, "scale");
    assert.deepEqual(shown, [newcomer, entry("a", "example.com/v1", { "f:spec": { "f:text": {} } })]);
  });

  it("returns none if the managedFields of the object are unreadable", () => {
    assert.deepEqual(scaleManagers([{ operation: "Steal" }], "example.com/v1", paths).toScale(), []);
    assert.deepEqual(scaleManagers("x", "example.com/v1", paths).toObject(undefined), []);
  });
});
