import { isEqual, isList, isRecord, type JsonRecord, ownValue, safeSet } from "@homeostat/core";
import type { Schema } from "@homeostat/schema";
import { LocustTest, type LocustTestInput } from "../api/locust-test.ts";

type Spec = LocustTestInput["spec"];

/** Texts that mean the same when they are empty and when they are not there. */
const emptyTexts: ReadonlySet<string> = new Set(["configMapRef", "libConfigMapRef", "imagePullPolicy"]);

/**
 * Whether two v2 specs mean the same: with their defaults, and apart from lists and maps that are empty in the one and
 * missing in the other.
 *
 * Stored objects carry defaults, and what was converted does not yet.
 */
export function isSameSpec(a: Spec, b: Spec): boolean {
  return isEqual(normal(a), normal(b));
}

/** A v2 spec with its defaults, and without empty lists, maps and references. */
export function normal(spec: Spec): unknown {
  const full = LocustTest.default({ apiVersion: "locust.io/v2", kind: "LocustTest", metadata: {}, spec });
  return trimmed(full.spec, LocustTest.schema.properties?.["spec"] ?? {});
}

function trimmed(value: unknown, schema: Schema): unknown {
  if (isList(value)) {
    const { items } = schema;
    return items === undefined ? value : value.map((item) => trimmed(item, items));
  }
  if (!isRecord(value)) return value;
  const result: JsonRecord = {};
  for (const [key, inner] of Object.entries(value)) {
    const own = propertyOf(schema, key);
    const kept = own === undefined ? inner : trimmed(inner, own);
    if (own === undefined || !isNothing(key, kept, own)) safeSet(result, key, kept);
  }
  return result;
}

function propertyOf({ properties = {} }: Schema, key: string): Schema | undefined {
  const found = ownValue(properties, key);
  return found === undefined ? undefined : properties[key];
}

/**
 * An object with fields of its own is something even when it is empty: `emptyDir: {}`. A map is not; nor is `scheduling`,
 * which comes of an empty affinity of v1.
 */
function isNothing(key: string, value: unknown, schema: Schema): boolean {
  if (value === "") return emptyTexts.has(key);
  if (isList(value)) return value.length === 0;
  const isContainer = typeof schema.additionalProperties === "object" || key === "scheduling";
  return isContainer && isRecord(value) && Object.keys(value).length === 0;
}
