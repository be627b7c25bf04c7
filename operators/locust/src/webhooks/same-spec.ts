import { isEqual, isList, isRecord } from "@homeostat/core";
import { type DeclaredField, dropFields } from "@homeostat/schema";
import { LocustTest, type LocustTestInput } from "../api/locust-test.ts";

type Spec = LocustTestInput["spec"];

/** Strings that mean the same when empty and when absent. */
const emptyTexts: ReadonlySet<string> = new Set(["configMapRef", "libConfigMapRef", "imagePullPolicy"]);

/** Reports whether two v2 specs are equal after defaulting, where an empty list or map equals an absent one. */
export function isSameSpec(a: Spec, b: Spec): boolean {
  return isEqual(normalized(a), normalized(b));
}

/** Returns a v2 spec with its defaults and without empty lists, maps and references. */
export function normalized(spec: Spec): unknown {
  const full = LocustTest.default({ apiVersion: "locust.io/v2", kind: "LocustTest", metadata: {}, spec });
  return dropFields(full.spec, LocustTest.schema.properties?.["spec"] ?? {}, isAbsent);
}

/**
 * Reports whether a value means the same as an absent one.
 *
 * An object with declared properties has a meaning even if it is empty (`emptyDir: {}`). An empty map has none, and neither has
 * an empty `scheduling`, which results from the conversion of an empty v1 affinity.
 */
function isAbsent({ name, value, schema }: DeclaredField): boolean {
  if (value === "") return emptyTexts.has(name);
  if (isList(value)) return value.length === 0;
  const isContainer = typeof schema.additionalProperties === "object" || name === "scheduling";
  return isContainer && isRecord(value) && Object.keys(value).length === 0;
}
