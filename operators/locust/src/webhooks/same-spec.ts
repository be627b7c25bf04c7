import { isEqual, isList, isRecord, type JsonRecord, ownValue, safeSet } from "@homeostat/core";
import type { Schema } from "@homeostat/schema";
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
  return withoutEmpty(full.spec, LocustTest.schema.properties?.["spec"] ?? {});
}

function withoutEmpty(value: unknown, schema: Schema): unknown {
  if (isList(value)) {
    const { items } = schema;
    return items === undefined ? value : value.map((item) => withoutEmpty(item, items));
  }
  if (!isRecord(value)) return value;
  const result: JsonRecord = {};
  for (const [key, inner] of Object.entries(value)) {
    const { properties = {} } = schema;
    const own = ownValue(properties, key) === undefined ? undefined : properties[key];
    const kept = own === undefined ? inner : withoutEmpty(inner, own);
    if (own === undefined || !isAbsent(key, kept, own)) safeSet(result, key, kept);
  }
  return result;
}

/**
 * An object with declared properties has a meaning even when it is empty (`emptyDir: {}`). A map has not; nor has `scheduling`,
 * which is the conversion of an empty v1 affinity.
 */
function isAbsent(key: string, value: unknown, schema: Schema): boolean {
  if (value === "") return emptyTexts.has(key);
  if (isList(value)) return value.length === 0;
  const isContainer = typeof schema.additionalProperties === "object" || key === "scheduling";
  return isContainer && isRecord(value) && Object.keys(value).length === 0;
}
