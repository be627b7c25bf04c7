// Prints a pod template the way Kubernetes does before hashing it (`DeepHashObject` with go-spew): every field of
// every Go struct, in order, with its type. The pod-template-hash is part of ReplicaSet names, so a difference of one
// character would roll out all Deployments that were created by another control plane.

import { isList, isRecord, type JsonRecord, ownValue } from "@homeostat/core";
import { goTypes } from "./generated/go-types.ts";
import { printQuantity } from "./go-quantity.ts";

/**
 * Prints a value of a Go type.
 *
 * The value is the object as JSON; absent fields have the zero value of their type. Empty lists and maps are printed
 * as nil, because storage does not preserve the difference.
 *
 * @example
 * printGo("v1.PodTemplateSpec", deployment.spec.template)
 */
export function printGo(type: string, value: unknown): string {
  return printTyped(type, value);
}

/** Prints a value with its type in front. */
function printTyped(expression: string, value: unknown): string {
  const [type, kind = type] = split(expression);
  return `(${type})${printValue(type, kind, value)}`;
}

/** Prints a value without its type. `kind` is the underlying type. */
function printValue(type: string, kind: string, value: unknown): string {
  if (kind.startsWith("*")) {
    return value === undefined || value === null ? "<nil>" : printValue(type.slice(1), kind.slice(1), value);
  }
  if (kind.startsWith("[]")) return printList(type.slice(2), kind.slice(2), value);
  if (kind.startsWith("map[string]")) return printMap(kind.slice("map[string]".length), value);
  switch (kind) {
    case "string":
      return typeof value === "string" ? value : "";
    case "bool":
      return value === true ? "true" : "false";
    case "int32":
    case "int64":
      return typeof value === "number" ? String(value) : "0";
    case "v1.Time":
      return "{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}";
    case "intstr.IntOrString":
      return printIntOrString(value);
    case "resource.Quantity":
      return printQuantity(value);
    default:
      return printStruct(kind, isRecord(value) ? value : {});
  }
}

function printList(type: string, kind: string, value: unknown): string {
  if (!isList(value) || value.length === 0) return "<nil>";
  return `[${value.map((element) => printValue(type, kind, element)).join(" ")}]`;
}

function printMap(kind: string, value: unknown): string {
  if (!isRecord(value)) return "<nil>";
  const keys = Object.keys(value).toSorted(byBytes);
  if (keys.length === 0) return "<nil>";
  return `map[${keys.map((key) => `${key}:${printValue(kind, kind, ownValue(value, key))}`).join(" ")}]`;
}

function printStruct(type: string, value: Readonly<JsonRecord>): string {
  const fields = goTypes[type] ?? [];
  // A field without a JSON name is embedded: its fields are part of the value itself.
  const texts = fields.map(
    ([name, json, field]) => `${name}:${printTyped(field, json === "" ? value : ownValue(value, json))}`,
  );
  return `{${texts.join(" ")}}`;
}

function printIntOrString(value: unknown): string {
  const isText = typeof value === "string";
  const [number, text] = isText ? [0, value] : [typeof value === "number" ? value : 0, ""];
  return `{Type:(intstr.Type)${isText ? 1 : 0} IntVal:(int32)${number} StrVal:(string)${text}}`;
}

function split(expression: string): [type: string, kind?: string] {
  const colon = expression.indexOf(":");
  return colon < 0 ? [expression] : [expression.slice(0, colon), expression.slice(colon + 1)];
}

function byBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
