import { isRecord, type JsonRecord } from "@homeostat/core";
import type { Problem } from "@homeostat/schema";
import { printGo } from "../codec/go-text.ts";
import { Field } from "../validation/field.ts";
import type { ScalePathsOfKind } from "../resources/served-kind.ts";

const replicasMax = 2 ** 31 - 1;

/** Validates the desired replica count. */
export function checkScaleSpec(object: JsonRecord, { specReplicasPath }: ScalePathsOfKind): Problem[] {
  return checkReplicas(object, specReplicasPath);
}

/** Validates the observed replica count and the label selector in the status. */
export function checkScaleStatus(
  object: JsonRecord,
  { statusReplicasPath, labelSelectorPath }: ScalePathsOfKind,
): Problem[] {
  const problems = checkReplicas(object, statusReplicasPath);
  if (labelSelectorPath === undefined) return problems;
  const found = scaleValueAt(object, labelSelectorPath, "string");
  if (found.problem !== undefined) new Field("", labelSelectorPath, problems).invalid(found.problem, "");
  return problems;
}

function checkReplicas(object: JsonRecord, path: string): Problem[] {
  const problems: Problem[] = [];
  const found = scaleValueAt(object, path, "int64");
  const field = new Field(0, path, problems);
  if (found.problem !== undefined) {
    field.invalid(found.problem, 0);
    return problems;
  }
  const count = typeof found.value === "number" ? found.value : 0;
  if (count < 0) field.invalid("should be a non-negative integer", count);
  else if (count > replicasMax) field.invalid(`should be less than or equal to ${replicasMax}`, count);
  return problems;
}

/** The value at a path of a scale subresource, undefined if there is none, or the problem with its type. */
export type ScaleValue = { readonly value: unknown; readonly problem?: undefined } | { readonly problem: string };

/** Returns the value at a path such as `.spec.replicas`. */
export function scaleValueAt(object: JsonRecord, path: string, type: "int64" | "string"): ScaleValue {
  const steps = path.replace(/^\./, "").split(".");
  let value: unknown = object;
  for (const [index, step] of steps.entries()) {
    if (value === null || value === undefined) return { value: undefined };
    if (!isRecord(value)) return { problem: mismatch(steps.slice(0, index + 1), value, "map[string]interface{}") };
    if (!Object.hasOwn(value, step)) return { value: undefined };
    value = value[step];
  }
  const isValid = type === "string" ? typeof value === "string" : Number.isInteger(value);
  return isValid ? { value } : { problem: mismatch(steps, value, type) };
}

function mismatch(steps: readonly string[], value: unknown, expected: string): string {
  return `.${steps.join(".")} accessor error: ${printGo(value)} is of the type ${goType(value)}, expected ${expected}`;
}

function goType(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "number" || typeof value === "bigint") {
    return typeof value === "bigint" || Number.isInteger(value) ? "int64" : "float64";
  }
  if (typeof value === "boolean") return "bool";
  return typeof value === "string" ? "string" : "map[string]interface {}";
}
