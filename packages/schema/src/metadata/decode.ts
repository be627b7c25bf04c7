import { isRecord, type JsonRecord, safeSet } from "@homeostat/core";
import { compareText, isInt64, printJson } from "../problem/print.ts";
import { jsonTypeOf } from "../value/json-type.ts";
import { goTypeOf, kept, objectMeta, type Form } from "./form.ts";
import { normalizeTime } from "./time.ts";

/** Metadata as the API server keeps it, or why it cannot be read. */
export type DecodedMeta =
  | { readonly meta: JsonRecord; /** Paths below the metadata. */ readonly unknown: readonly string[] }
  | { readonly problem: string };

/**
 * Reads object metadata as the API server does: unknown fields and empty ones go, times are put into one form.
 *
 * What needs no change is returned as it is. Problems are worded by Go's JSON decoder, and only the first is named.
 */
export function decodeObjectMeta(value: unknown): DecodedMeta {
  const unknown: string[] = [];
  try {
    const meta = decode(value, objectMeta, { struct: "", path: "" }, unknown);
    return { meta: isRecord(meta) ? meta : {}, unknown };
  } catch (error) {
    if (error instanceof Malformed) return { problem: error.message };
    throw error;
  }
}

class Malformed extends Error {}

interface Spot {
  /** The innermost Go struct. */
  readonly struct: string;
  /** The path of fields from the root, without indexes, as Go names it. */
  readonly path: string;
  /** The path with indexes, for reports about unknown fields. */
  readonly at?: string;
}

/** The decoded value; `undefined` for Go's zero value. */
function decode(value: unknown, form: Form, spot: Spot, unknown: string[]): unknown {
  if (value === null || value === undefined) return undefined;
  switch (form.kind) {
    case "any":
      return value;
    case "text":
      return typeof value === "string" ? value || undefined : mismatch(value, form, spot);
    case "bool":
      return typeof value === "boolean" ? value : mismatch(value, form, spot);
    case "int64":
      return isInt64(value) ? value : mismatch(value, form, spot);
    case "time":
      return decodeTime(value, form, spot);
    case "list":
      return Array.isArray(value) ? decodeList(value, form.of, spot, unknown) : mismatch(value, form, spot);
    case "map":
      return isRecord(value) ? decodeMap(value, form.of, spot, unknown) : mismatch(value, form, spot);
    case "struct":
      return isRecord(value) ? decodeStruct(value, form, spot, unknown) : mismatch(value, form, spot);
  }
}

function decodeTime(value: unknown, form: Form, spot: Spot): unknown {
  if (typeof value !== "string") return mismatch(value, form, spot);
  const result = normalizeTime(value);
  if ("problem" in result) throw new Malformed(result.problem);
  return result.time;
}

function decodeList(value: readonly unknown[], of: Form, spot: Spot, unknown: string[]): unknown {
  if (value.length === 0) return undefined;
  const elements = value.map((element, index) => {
    const decoded = decode(element, of, { ...spot, at: `${spot.at ?? spot.path}[${index}]` }, unknown);
    return decoded ?? (of.kind === "struct" ? decodeStruct({}, of, spot, unknown) : "");
  });
  return elements.every((element, index) => element === value[index]) ? value : elements;
}

function decodeMap(value: JsonRecord, of: Form, spot: Spot, unknown: string[]): unknown {
  const keys = Object.keys(value);
  if (keys.length === 0) return undefined;
  const entries: { [key: string]: unknown } = {};
  for (const key of keys.sort(compareText)) safeSet(entries, key, decode(value[key], of, spot, unknown) ?? "");
  return keys.every((key) => entries[key] === value[key]) ? value : entries;
}

function decodeStruct(
  value: JsonRecord,
  form: Extract<Form, { kind: "struct" }>,
  spot: Spot,
  unknown: string[],
): JsonRecord {
  const fields: { [key: string]: unknown } = {};
  const at = spot.at ?? spot.path;
  for (const key of Object.keys(value).sort(compareText)) {
    const field = form.fields.get(key);
    if (field === undefined) {
      if (value[key] !== undefined) unknown.push(at === "" ? key : `${at}.${key}`);
      continue;
    }
    const path = spot.path === "" ? key : `${spot.path}.${key}`;
    const inner = { struct: form.goName, path, at: at === "" ? key : `${at}.${key}` };
    const decoded = decode(value[key], field, inner, unknown);
    const isZero = decoded === undefined || (decoded === 0 && !kept.has(key));
    if (!isZero) fields[key] = decoded;
  }
  for (const key of form.always) fields[key] ??= "";
  const isSame =
    Object.keys(fields).length === Object.keys(value).length &&
    Object.keys(fields).every((key) => Object.hasOwn(value, key) && fields[key] === value[key]);
  return isSame ? value : fields;
}

function mismatch(value: unknown, form: Form, { struct, path }: Spot): never {
  const type = jsonTypeOf(value);
  const isNumber = type === "integer" || type === "number";
  const kind = isNumber
    ? form.kind === "int64"
      ? `number ${printJson(value)}`
      : "number"
    : type === "boolean"
      ? "bool"
      : type;
  const target = struct === "" ? "value" : `struct field ${struct}.${path}`;
  throw new Malformed(`json: cannot unmarshal ${kind} into Go ${target} of type ${goTypeOf(form)}`);
}
