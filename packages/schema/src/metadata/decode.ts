import { isRecord, type JsonRecord, safeSet } from "@homeostat/core";
import { compareText, printJson } from "../problem/print.ts";
import { isInt64 } from "../value/int64.ts";
import { jsonTypeOf } from "../value/json-type.ts";
import { goTypeOf, kept, objectMeta, type Form } from "./form.ts";
import { normalizeTime } from "./time.ts";

/** Metadata as the API server stores it, or the problem if it cannot be decoded. */
export type DecodedMeta =
  | {
      readonly meta: JsonRecord;
      /** Paths of unknown fields, relative to the metadata. */
      readonly unknown: readonly string[];
    }
  | { readonly problem: string };

/**
 * Decodes object metadata as the API server does: drops unknown and empty fields, and normalizes times.
 *
 * Returns the argument itself if nothing changes. The problem is the message of Go's JSON decoder, which stops at the first.
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

interface Location {
  /** Name of the innermost Go struct. */
  readonly struct: string;
  /** Path of fields from the root, without indexes, as in messages of Go. */
  readonly path: string;
  /** Path with indexes, for unknown fields. */
  readonly at?: string;
}

/** Returns the decoded value; undefined for Go's zero value. */
function decode(value: unknown, form: Form, location: Location, unknown: string[]): unknown {
  if (value === null || value === undefined) return undefined;
  switch (form.kind) {
    case "any":
      return value;
    case "text":
      return typeof value === "string" ? value || undefined : mismatch(value, form, location);
    case "bool":
      return typeof value === "boolean" ? value : mismatch(value, form, location);
    case "int64":
      return isInt64(value) ? value : mismatch(value, form, location);
    case "time":
      return decodeTime(value, form, location);
    case "list":
      return Array.isArray(value) ? decodeList(value, form.of, location, unknown) : mismatch(value, form, location);
    case "map":
      return isRecord(value) ? decodeMap(value, form.of, location, unknown) : mismatch(value, form, location);
    case "struct":
      return isRecord(value) ? decodeStruct(value, form, location, unknown) : mismatch(value, form, location);
  }
}

function decodeTime(value: unknown, form: Form, location: Location): unknown {
  if (typeof value !== "string") return mismatch(value, form, location);
  const result = normalizeTime(value);
  if ("problem" in result) throw new Malformed(result.problem);
  return result.time;
}

function decodeList(value: readonly unknown[], of: Form, location: Location, unknown: string[]): unknown {
  if (value.length === 0) return undefined;
  const elements = value.map((element, index) => {
    const decoded = decode(element, of, { ...location, at: `${location.at ?? location.path}[${index}]` }, unknown);
    return decoded ?? (of.kind === "struct" ? decodeStruct({}, of, location, unknown) : "");
  });
  return elements.every((element, index) => element === value[index]) ? value : elements;
}

function decodeMap(value: JsonRecord, of: Form, location: Location, unknown: string[]): unknown {
  const keys = Object.keys(value);
  if (keys.length === 0) return undefined;
  const entries: { [key: string]: unknown } = {};
  for (const key of keys.sort(compareText)) safeSet(entries, key, decode(value[key], of, location, unknown) ?? "");
  return keys.every((key) => entries[key] === value[key]) ? value : entries;
}

function decodeStruct(
  value: JsonRecord,
  form: Extract<Form, { kind: "struct" }>,
  location: Location,
  unknown: string[],
): JsonRecord {
  const fields: { [key: string]: unknown } = {};
  const at = location.at ?? location.path;
  for (const key of Object.keys(value).sort(compareText)) {
    const field = form.fields.get(key);
    if (field === undefined) {
      if (value[key] !== undefined) unknown.push(at === "" ? key : `${at}.${key}`);
      continue;
    }
    const path = location.path === "" ? key : `${location.path}.${key}`;
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

function mismatch(value: unknown, form: Form, { struct, path }: Location): never {
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
