// kube-apiserver validates the internal types of Kubernetes, which no API version has, and shows them in some messages. This file converts
// a value of v1 to the form in which Go prints the internal type: Go field names, the order of the struct, and no omitted fields.

import { isList, isRecord, type JsonRecord, once } from "@homeostat/core";
import { compareBytes } from "../../codec/go-text.ts";
import { printedTypesText } from "../generated/printed-types-text.ts";

/** A field: its name in Go, its name in v1 (`../x` for a field of the parent object), and its type. */
type Row = readonly [name: string, json: string, type: string];

const types: () => ReadonlyMap<string, readonly Row[]> = once(() => {
  const read: unknown = JSON.parse(printedTypesText);
  const entries = isRecord(read) ? Object.entries(read) : [];
  return new Map(entries.map(([name, rows]) => [name, isList(rows) ? rows.map(rowOf) : []]));
});

function rowOf(row: unknown): Row {
  const [name, json, type] = isList(row) ? row.map(String) : [];
  return [name ?? "", json ?? "", type ?? ""];
}

/** Returns a value of v1 as Go prints the internal type of this name, such as `PodSpec`. `beside` is the parent object. */
export function printedAs(type: string, value: unknown, beside: JsonRecord = {}): unknown {
  if (type.startsWith("*")) return isNil(value) ? null : printedAs(type.slice(1), value, beside);
  if (type.startsWith("[]")) return isList(value) ? value.map((each) => printedAs(type.slice(2), each)) : null;
  if (type.startsWith("map:")) return isRecord(value) ? printedMap(type.slice("map:".length), value) : null;
  const rows = types().get(type);
  if (rows === undefined) return isNil(value) ? zeroOf(type) : withoutBigint(value);
  const own = isRecord(value) ? value : {};
  return Object.fromEntries(
    rows.map(([name, json, field]) => {
      const [from, key] = json.startsWith("../") ? [beside, json.slice("../".length)] : [own, json];
      return [name, printedAs(field, Object.hasOwn(from, key) ? from[key] : undefined, own)];
    }),
  );
}

function printedMap(type: string, map: JsonRecord): JsonRecord {
  const keys = Object.keys(map).sort(compareBytes);
  return Object.fromEntries(keys.map((key) => [key, printedAs(type, map[key])]));
}

function isNil(value: unknown): boolean {
  return value === undefined || value === null;
}

/** Converts a bigint, the only value that `JSON.stringify` cannot encode. */
function withoutBigint(value: unknown): unknown {
  return typeof value === "bigint" ? Number(value) : value;
}

function zeroOf(type: string): unknown {
  switch (type) {
    case "bool":
      return false;
    case "int32":
    case "int64":
    case "intstr.IntOrString":
      return 0;
    case "string":
      return "";
    case "resource.Quantity":
      return "0";
    default:
      return null;
  }
}
