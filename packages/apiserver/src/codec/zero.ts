import { type JsonRecord, safeSet } from "@homeostat/core";
import type { GoType, Member, StructType } from "./type-table.ts";

/** The members of a struct while it is read, in the order of its type; undefined is what was not said. */
export type Slots = unknown[];

/**
 * The JSON object of a struct that was read: keys in Go's order, empty ones left out or shown as Go does.
 *
 * What was not said takes Go's zero value, which shows unless the type leaves it out: `"status": {}`, `"containers": null`.
 */
export function objectOf(type: StructType, slots: Slots): JsonRecord {
  const record: JsonRecord = {};
  for (const member of type.members) {
    const value = slots[member.index];
    if (value === undefined) {
      if (isOmitted(member)) continue;
      safeSet(record, member.name, zeroOf(member.type));
    } else if (!isLeftOut(member, value)) safeSet(record, member.name, value);
  }
  return record;
}

/** Whether a member that was not said does not show. A struct always shows, unless its zero value is to be left out. */
function isOmitted(member: Member): boolean {
  if (member.omitZero) return true;
  if (!member.omitEmpty) return false;
  return member.type.sort !== "struct" && member.type.sort !== "special";
}

function isLeftOut(member: Member, value: unknown): boolean {
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

/** What Go has where nothing was said, as JSON. */
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
