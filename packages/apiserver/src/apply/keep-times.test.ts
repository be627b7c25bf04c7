import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonRecord } from "@homeostat/core";
import { keepManagerTimes } from "./keep-times.ts";

function object(time: string | undefined, fields: unknown, replicas: number): JsonRecord {
  const entry = { manager: "a", operation: "Apply", fieldsV1: fields, ...(time === undefined ? {} : { time }) };
  return { metadata: { name: "a", managedFields: [entry] }, spec: { replicas } };
}

const older = object("2026-01-01T00:00:00Z", { "f:a": {} }, 1);

describe("keepManagerTimes", () => {
  it("restores the old times if nothing else changed", () => {
    assert.deepEqual(keepManagerTimes(older, object("2026-01-01T00:00:09Z", { "f:a": {} }, 1)), older);
    assert.deepEqual(keepManagerTimes(older, object(undefined, { "f:a": {} }, 1)), older);
  });

  for (const [what, newer] of [
    ["the object changed", object("2026-01-01T00:00:09Z", { "f:a": {} }, 2)],
    ["the owned fields changed", object("2026-01-01T00:00:09Z", { "f:b": {} }, 1)],
    ["all managers were removed", { metadata: { name: "a" }, spec: { replicas: 1 } }],
  ] as const) {
    it(`keeps the new times if ${what}`, () => {
      assert.equal(keepManagerTimes(older, newer), newer);
    });
  }
});
