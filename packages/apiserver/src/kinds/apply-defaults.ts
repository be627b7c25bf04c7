import { deepClone, isList, isRecord, type JsonRecord } from "@homeostat/core";
import { definitionNameOf, kindSchema, type KindSchema } from "../resources/schemas.ts";
import type { TypeDefault } from "./defaulting/defaults.ts";
import { fill, partOf } from "./defaulting/fill.ts";
import { kindStrategies } from "./strategies.ts";

const depthMax = 100;

/** Defaults by type, from the strategies of all kinds. */
const typeDefaults: ReadonlyMap<string, TypeDefault> = new Map(
  kindStrategies.flatMap(({ defaults = {} }) => Object.entries(defaults)),
);

/**
 * Returns a copy of an object of a built-in kind with the defaults that decoding applies.
 *
 * The object must have the shape of its kind.
 */
export function applyKindDefaults(group: string, version: string, kind: string, object: JsonRecord): JsonRecord {
  const made = deepClone(object);
  const schema = kindSchema(group, version, kind);
  if (schema === undefined) return made;
  // An absent spec gets the defaults of an empty one.
  const hadSpec = isRecord(made["spec"]);
  if (schema.properties?.["spec"] !== undefined) partOf(made, "spec");
  complete(made, schema, 0);
  if (!hadSpec && Object.keys(partOf(made, "spec")).length === 0) delete made["spec"];
  return made;
}

function complete(value: unknown, schema: KindSchema, depth: number): void {
  if (depth > depthMax) return;
  if (isList(value)) {
    const { items } = schema;
    if (items !== undefined) for (const item of value) complete(item, items, depth + 1);
    return;
  }
  if (!isRecord(value)) return;
  const name = shortName(definitionNameOf(schema));
  if (name !== undefined) completeType(value, name);
  const { properties, additionalProperties } = schema;
  if (properties !== undefined) {
    for (const key of Object.keys(value)) {
      const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
      if (property !== undefined) complete(value[key], property, depth + 1);
    }
  } else if (typeof additionalProperties === "object") {
    for (const key of Object.keys(value)) complete(value[key], additionalProperties, depth + 1);
  }
}

function completeType(value: JsonRecord, name: string): void {
  const found = typeDefaults.get(name);
  if (found === undefined) return;
  const { values, zeroValues = {}, rule } = found;
  if (values !== undefined) fill(value, values);
  for (const [field, standard] of Object.entries(zeroValues)) {
    const present = Object.hasOwn(value, field) ? value[field] : undefined;
    if (present === undefined || present === null || present === 0) value[field] = standard;
  }
  rule?.(value);
}

/** Returns the short definition name by which defaults are declared: `core.v1.Pod` for `io.k8s.api.core.v1.Pod`. */
function shortName(name: string | undefined): string | undefined {
  return name?.replace(/^io\.k8s\.(?:api\.|(?:apiextensions-apiserver|kube-aggregator)\.pkg\.apis\.)/, "");
}
