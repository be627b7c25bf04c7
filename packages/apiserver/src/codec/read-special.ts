// Protobuf decoding of types whose JSON form differs from their protobuf message, such as times and quantities.

import { formatMicroTime, formatTime, isQuantity, parseQuantity } from "@homeostat/core";
import { DecodeError } from "./decode-error.ts";
import type { ProtobufReader } from "./protobuf-reader.ts";
import { readJson } from "./read-value.ts";

/** Reads the rest of a message as a JSONSchemaProps, which some special types contain. */
export type ReadSchema = (reader: ProtobufReader) => unknown;

/** Decodes a special type to its JSON form. */
export function readSpecial(reader: ProtobufReader, name: string, readSchema: ReadSchema): unknown {
  switch (name) {
    case "v1.Time":
    case "v1.MicroTime":
      return readTime(reader, name);
    case "resource.Quantity":
      return readQuantity(reader);
    case "intstr.IntOrString":
      return readIntOrString(reader);
    case "v1.JSONSchemaPropsOrBool":
    case "v1.JSONSchemaPropsOrArray":
    case "v1.JSONSchemaPropsOrStringArray":
      return readSchemaOr(reader, name, readSchema);
    default:
      return readRaw(reader, name);
  }
}

const secondsMin = -62_167_219_200;
const secondsMax = 253_402_300_799;

function readTime(reader: ProtobufReader, name: string): string | null {
  let hasFields = false;
  let seconds: number | bigint = 0;
  let nanoseconds = 0;
  while (reader.next("Timestamp")) {
    hasFields = true;
    if (reader.field === 1) seconds = reader.int64("Seconds");
    else if (reader.field === 2) nanoseconds = reader.int32("Nanos");
    else reader.skip();
  }
  if (!hasFields) return null;
  if (seconds < secondsMin || seconds > secondsMax || nanoseconds < 0 || nanoseconds > 999_999_999) {
    throw new DecodeError(`timestamp ${seconds} is out of range`);
  }
  const ms = Number(seconds) * 1000;
  return name === "v1.Time"
    ? formatTime(ms)
    : formatMicroTime(BigInt(ms) * 1000n + BigInt(Math.floor(nanoseconds / 1000)));
}

function readQuantity(reader: ProtobufReader): string {
  let text = "";
  while (reader.next("Quantity")) {
    if (reader.field === 1) text = reader.string("String_");
    else reader.skip();
  }
  if (text === "") return "0";
  if (!isQuantity(text)) throw new DecodeError(quantityProblem);
  return parseQuantity(text).toString();
}

/** The error for a text that is not a quantity. */
export const quantityProblem: string =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

function readIntOrString(reader: ProtobufReader): string | number {
  let isText = false;
  let number = 0;
  let text = "";
  while (reader.next("IntOrString")) {
    if (reader.field === 1) isText = reader.int64("Type") !== 0;
    else if (reader.field === 2) number = reader.int32("IntVal");
    else if (reader.field === 3) text = reader.string("StrVal");
    else reader.skip();
  }
  return isText ? text : number;
}

/** Decodes RawExtension, FieldsV1 and JSON: field 1 contains JSON text. */
function readRaw(reader: ProtobufReader, name: string): unknown {
  let value: unknown = null;
  while (reader.next(name)) {
    if (reader.field === 1) {
      const bytes = reader.bytes("Raw");
      value = bytes.length === 0 ? null : readJson(bytes).value;
    } else reader.skip();
  }
  return value;
}

function readSchemaOr(reader: ProtobufReader, name: string, readSchema: ReadSchema): unknown {
  const list: unknown[] = [];
  let schema: unknown = null;
  let isAllowed = false;
  while (reader.next(name)) {
    const { field } = reader;
    if (name === "v1.JSONSchemaPropsOrBool") {
      if (field === 1) isAllowed = reader.bool("Allows");
      else if (field === 2) schema = readSchema(reader.message("Schema"));
      else reader.skip();
    } else if (field === 1) schema = readSchema(reader.message("Schema"));
    else if (field === 2) {
      if (name === "v1.JSONSchemaPropsOrArray") list.push(readSchema(reader.message("JSONSchemas")));
      else list.push(reader.string("Property"));
    } else reader.skip();
  }
  if (list.length > 0) return list;
  return name === "v1.JSONSchemaPropsOrBool" && schema === null ? isAllowed : schema;
}
