// The real server checks objects of types that no version has, and shows those in some of its messages. Here a value of v1
// is brought into the form in which Go prints it there: other names, another order, nothing left out.

import { isList, isRecord, type JsonRecord, once } from "@homeostat/core";
import { compareBytes } from "../../codec/go-text.ts";
import { printedTypesText } from "../generated/printed-types-text.ts";

/** A field: its name in Go, its name in v1 (`../x` beside the value), and its type. */
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

/** A value of v1 as Go prints it for the type of the server's own that has this name: `PodSpec`. */
export function printedAs(type: string, value: unknown, beside: JsonRecord = {}): unknown {
  if (type.startsWith("*")) return isNothing(value) ? null : printedAs(type.slice(1), value, beside);
  if (type.startsWith("[]")) return isList(value) ? value.map((each) => printedAs(type.slice(2), each)) : null;
  if (type.startsWith("map:")) return isRecord(value) ? printedMap(type.slice("map:".length), value) : null;
  const rows = types().get(type);
  if (rows === undefined) return isNothing(value) ? zeroOf(type) : plain(value);
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

function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}

/** Long numbers are the only values that JSON does not print by itself. */
function plain(value: unknown): unknown {
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
