import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KubeObject } from "@homeostat/core";
import { upgradePatch } from "./field-upgrade.ts";

const entry = { apiVersion: "v1", fieldsType: "FieldsV1", manager: "shop", time: "2026-01-01T00:00:00Z" } as const;

function objectWith(managedFields: KubeObject["metadata"]["managedFields"] & object): KubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", resourceVersion: "7", managedFields } };
}

describe("the move of fields to server-side apply", () => {
  it("merges the Update entry into the Apply entry", () => {
    const patch = upgradePatch(
      objectWith([
        { ...entry, operation: "Update", fieldsV1: { "f:data": { "f:a": {} } } },
        { ...entry, operation: "Apply", fieldsV1: { "f:data": { "f:b": {} } } },
        { ...entry, operation: "Update", subresource: "status", fieldsV1: { "f:status": {} } },
      ]),
      "shop",
    );

    const managedFields = patch?.find(({ path }) => path === "/metadata/managedFields");
    assert.deepEqual(managedFields, {
      op: "replace",
      path: "/metadata/managedFields",
      value: [
        { ...entry, operation: "Apply", fieldsV1: { "f:data": { "f:b": {}, "f:a": {} } } },
        { ...entry, operation: "Update", subresource: "status", fieldsV1: { "f:status": {} } },
      ],
    });
  });

  it("is a conflict, and not an invalid request, if another client was faster", () => {
    const patch = upgradePatch(objectWith([{ ...entry, operation: "Update", fieldsV1: {} }]), "shop");

    assert.deepEqual(
      patch?.filter(({ op }) => op === "test"),
      [],
    );
    assert.deepEqual(patch?.at(-1), { op: "replace", path: "/metadata/resourceVersion", value: "7" });
  });

  it("is not needed without an Update entry", () => {
    assert.equal(upgradePatch(objectWith([]), "shop"), undefined);
  });
});
