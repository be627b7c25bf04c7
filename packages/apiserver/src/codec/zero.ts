import { type JsonRecord, safeSet } from "@homeostat/core";
import type { GoType, Member, StructType } from "./type-table.ts";

/** The members of a struct during decoding, in the order of its type; undefined means absent. */
export type Slots = unknown[];

/**
 * Builds the JSON object of a decoded struct: keys in Go's order, empty ones omitted or present as in Go.
 *
 * Absent members get Go's zero value, which is present unless the type omits it: `"status": {}`, `"containers": null`.
 */
export function objectOf(type: StructType, slots: Slots): JsonRecord {
  const record: JsonRecord = {};
  for (const member of type.members) {
    const value = slots[member.index];
    if (value === undefined) {
      if (isOmittedIfAbsent(member)) continue;
      safeSet(record, member.name, zeroOf(member.type));
    } else if (!isOmittedValue(member, value)) safeSet(record, member.name, value);
  }
  return record;
}

/**
 * Reports whether an absent member is omitted. `omitempty` has no effect on structs in Go, so they are always present,
 * unless the type has `omitzero`.
 */
function isOmittedIfAbsent(member: Member): boolean {
  if (member.omitZero) return true;
  if (!member.omitEmpty) return false;
  return member.type.sort !== "struct" && member.type.sort !== "special";
}

function isOmittedValue(member: Member, value: unknown): boolean {
  return (member.omitZero && value === null) || (member.omitEmpty && isEmpty(value, member.type));
}

function isEmpty(value: unknown, type: GoType): boolean {
  switch (type.sort) {
    case "string":
    case "bytes":
      return value === "";
    case "bool":
      return value === false;
    case "int32":
    case "int64":
    case "float64":
      return value === 0;
    case "list":
    case "wrapped":
      return Array.isArray(value) && value.length === 0;
    case "map":
      return typeof value === "object" && value !== null && Object.keys(value).length === 0;
    default:
      return false;
  }
}

/** Returns Go's zero value of a type as JSON. */
export function zeroOf(type: GoType): unknown {
  switch (type.sort) {
    case "string":
      return "";
    case "bool":
      return false;
    case "int32":
    case "int64":
    case "float64":
      return 0;
    case "struct":
      return objectOf(type, []);
    case "special":
      return specialZero(type.name);
    default:
      return null;
  }
}

function specialZero(name: string): unknown {
  if (name === "resource.Quantity") return "0";
  if (name === "intstr.IntOrString") return 0;
  return name === "v1.JSONSchemaPropsOrBool" ? false : null;
}
