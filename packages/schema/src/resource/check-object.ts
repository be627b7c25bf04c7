// What an API server checks of an object beside its schema: its type, its metadata, and the numbers of its scale.

import { dnsSubdomainProblems, isRecord, maskTrailingDash, ownValue, type Scope } from "@homeostat/core";
import { checkObjectMeta } from "../metadata/check.ts";
import { decodeObjectMeta } from "../metadata/decode.ts";
import { invalid, type Problem, required } from "../problem/problem.ts";
import type { Scale } from "./definition.ts";

/** What is wrong with the type of an object. The schema takes any text for it, and the server looks no further. */
export function checkType(object: unknown, apiVersion: string, kind: string): Problem[] {
  if (!isRecord(object)) return [invalid("", {}, "must be an object")];
  const wanted: [string, string][] = [
    ["kind", kind],
    ["apiVersion", apiVersion],
  ];
  const problems = wanted.flatMap(([field, right]) => {
    const value = ownValue(object, field);
    return value === right ? [] : [invalid(field, { value: value ?? "" }, `must be ${right}`)];
  });
  return isRecord(ownValue(object, "metadata")) ? problems : [...problems, required("metadata")];
}

/** What is wrong with the metadata of an object. A namespace that is left out comes from the URL, so it is not missed. */
export function checkMetadata(object: unknown, scope: Scope): Problem[] {
  const decoded = decodeObjectMeta(isRecord(object) ? ownValue(object, "metadata") : undefined);
  if ("problem" in decoded) return [invalid("metadata", {}, decoded.problem)];
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

/** What is wrong with the numbers of a scale. The schema complains of what is no whole number. */
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
