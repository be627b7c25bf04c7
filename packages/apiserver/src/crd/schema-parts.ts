import { isList, isRecord } from "@homeostat/core";
import { fieldOf } from "./read.ts";

const single = ["not", "additionalProperties", "additionalItems"];
const lists = ["allOf", "anyOf", "oneOf"];
const maps = ["properties", "patternProperties", "definitions", "dependencies"];
const depthMax = 200;

/** A schema and all schemas inside of it, in no special order. */
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

/** Whether a schema fills in anything anywhere. */
export function hasDefaults(schema: unknown): boolean {
  for (const each of schemasIn(schema)) {
    const value = fieldOf(each, "default");
    if (value !== undefined && value !== null) return true;
  }
  return false;
}
