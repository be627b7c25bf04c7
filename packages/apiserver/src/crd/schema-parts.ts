import { isList, isRecord } from "@homeostat/core";
import { fieldOf } from "../values/properties.ts";

const single = ["not", "additionalProperties", "additionalItems"];
const lists = ["allOf", "anyOf", "oneOf"];
const maps = ["properties", "patternProperties", "definitions", "dependencies"];
const depthMax = 200;

/** Yields a schema and all nested schemas, in no particular order. */
export function* schemasIn(schema: unknown, depth = 0): Generator {
  if (!isRecord(schema) || depth > depthMax) return;
  yield schema;
  const items = fieldOf(schema, "items");
  const inside = [
    ...(isList(items) ? items : [items]),
    ...lists.flatMap((name) => {
      const list = fieldOf(schema, name);
      return isList(list) ? list : [];
    }),
    ...single.map((name) => fieldOf(schema, name)),
    ...maps.flatMap((name) => {
      const map = fieldOf(schema, name);
      return isRecord(map) ? Object.values(map) : [];
    }),
  ];
  for (const each of inside) yield* schemasIn(each, depth + 1);
}

/** Reports whether a schema has a default at any level. */
export function hasDefaults(schema: unknown): boolean {
  for (const each of schemasIn(schema)) {
    const value = fieldOf(each, "default");
    if (value !== undefined && value !== null) return true;
  }
  return false;
}
