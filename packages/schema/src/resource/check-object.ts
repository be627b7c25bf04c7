// Checks that the API server makes in addition to the schema: type, metadata, and the replica counts of the scale subresource.

import { dnsSubdomainProblems, isRecord, maskTrailingDash, ownValue, type Scope } from "@homeostat/core";
import { checkObjectMeta } from "../metadata/check.ts";
import { decodeObjectMeta } from "../metadata/decode.ts";
import { invalid, type Problem, required } from "../problem/problem.ts";
import type { Scale } from "./definition.ts";

/**
 * Checks `apiVersion` and `kind` of an object, and that it has metadata. The schema of a CRD accepts any string for both.
 */
export function checkType(object: unknown, apiVersion: string, kind: string): Problem[] {
  if (!isRecord(object)) return [invalid("", {}, "must be an object")];
  const expected: [string, string][] = [
    ["kind", kind],
    ["apiVersion", apiVersion],
  ];
  const problems = expected.flatMap(([field, expectedValue]) => {
    const value = ownValue(object, field);
    return value === expectedValue ? [] : [invalid(field, { value: value ?? "" }, `must be ${expectedValue}`)];
  });
  return isRecord(ownValue(object, "metadata")) ? problems : [...problems, required("metadata")];
}

/**
 * Checks the metadata of an object. A missing namespace is not a problem: the API server takes it from the URL of the request.
 */
export function checkMetadata(object: unknown, scope: Scope): Problem[] {
  const decoded = decodeObjectMeta(isRecord(object) ? ownValue(object, "metadata") : undefined);
  if ("problem" in decoded) return [invalid("metadata", {}, () => decoded.problem)];
  const { meta } = decoded;
  const isNamespaced = scope === "Namespaced";
  const prefix = ownValue(meta, "generateName");
  const generated = typeof prefix === "string" && prefix !== "" ? { name: `${prefix}xxxxx` } : {};
  const namespace = isNamespaced ? { namespace: "default" } : {};
  const nameProblems = (name: string, { isPrefix }: { isPrefix: boolean }): string[] =>
    dnsSubdomainProblems(isPrefix ? maskTrailingDash(name) : name);
  return checkObjectMeta({ ...generated, ...namespace, ...meta }, "metadata", { isNamespaced, nameProblems });
}

const int32Max = 2 ** 31 - 1;

/** Checks the replica counts of the scale subresource. Values that are not integers are left to the schema. */
export function checkScaleValues(object: unknown, { specReplicasPath, statusReplicasPath }: Scale): Problem[] {
  return [specReplicasPath, statusReplicasPath].flatMap((path) => {
    const value = path.slice(1).split(".").reduce<unknown>(step, object);
    if (typeof value !== "number" || !Number.isInteger(value)) return [];
    if (value < 0) return [invalid(path, { value }, "should be a non-negative integer")];
    return value > int32Max ? [invalid(path, { value }, `should be less than or equal to ${int32Max}`)] : [];
  });
}

function step(value: unknown, field: string): unknown {
  return isRecord(value) ? ownValue(value, field) : undefined;
}
