import { isRecord, type JsonRecord } from "@homeostat/core";
import { checkObjectMeta, formatProblem } from "@homeostat/schema";
import { fieldOf, recordOf, textOf } from "../values/properties.ts";

/** The converted object with restored metadata, or the reason why it is invalid. */
export type RestoreResult = { readonly object: JsonRecord } | { readonly problem: string };

/**
 * Validates an object that a webhook converted and restores its metadata: a webhook may only change labels and
 * annotations.
 */
export function restoreMetadata(
  original: JsonRecord,
  converted: unknown,
  apiVersion: string,
  index: number,
): RestoreResult {
  if (!isRecord(converted)) return { problem: unreadable(converted) };
  const what = `returned invalid object at index ${index}:`;
  const got = textOf(converted, "apiVersion");
  if (got !== apiVersion) {
    return { problem: `${what} invalid groupVersion (expected ${apiVersion}, received ${got})` };
  }
  const [kind, gotKind] = [textOf(original, "kind"), textOf(converted, "kind")];
  if (kind !== gotKind) return { problem: `${what} invalid kind (expected ${kind}, received ${gotKind})` };
  const [before, after] = [recordOf(original, "metadata"), recordOf(converted, "metadata")];
  for (const [name, title] of [
    ["name", "name"],
    ["namespace", "namespace"],
    ["uid", "UID"],
  ] as const) {
    const [old, now] = [textOf(before, name), textOf(after, name)];
    if (old !== now) return { problem: `returned invalid object: must have the same ${title}: ${old} != ${now}` };
  }
  if (!isRecord(fieldOf(converted, "metadata"))) {
    return { problem: "returned invalid metadata: missing metadata in converted object" };
  }
  const metadata: JsonRecord = { ...before };
  for (const name of ["labels", "annotations"] as const) {
    const problem = copyTexts(metadata, after, name);
    if (problem !== undefined) return { problem: `returned invalid metadata: ${problem}` };
  }
  return { object: { ...converted, metadata } };
}

function unreadable(value: unknown): string {
  if (value === null || value === undefined) return "unexpected end of JSON input";
  const type = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return `json: cannot unmarshal ${type} into Go value of type map[string]interface {}`;
}

function copyTexts(metadata: JsonRecord, from: JsonRecord, name: "labels" | "annotations"): string | undefined {
  const found = fieldOf(from, name);
  if (found === undefined || found === null) {
    delete metadata[name];
    return undefined;
  }
  if (!isRecord(found)) return `invalid metadata.${name} of type ${goType(found)} in converted object`;
  for (const [key, value] of Object.entries(found)) {
    if (typeof value !== "string") {
      return `metadata.${name}[${key}] must be a string, but is ${goType(value)} in converted object`;
    }
  }
  const rules = { isNamespaced: false, nameProblems: () => [] };
  const problems = checkObjectMeta({ name: "x", [name]: found }, "metadata", rules).map(formatProblem);
  metadata[name] = found;
  if (problems.length === 0) return undefined;
  const text = problems.length === 1 ? problems[0] : `[${problems.join(", ")}]`;
  // The message of the real server omits the last letter here.
  return text?.replaceAll("metadata.annotations:", "metadata.annotation:");
}

/** Returns the Go type name of a JSON value. */
function goType(value: unknown): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "number" || typeof value === "bigint")
    return Number.isInteger(Number(value)) ? "int64" : "float64";
  if (typeof value === "boolean") return "bool";
  return typeof value === "string" ? "string" : "map[string]interface {}";
}
