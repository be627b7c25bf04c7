// Protobuf encoding of types whose JSON form differs from their protobuf message, such as times and quantities.

import { isList, isQuantity, isRecord, type JsonRecord, parseInstant, parseQuantity } from "@homeostat/core";
import { encodeJson } from "./encode-json.ts";
import type { ProtobufWriter } from "./protobuf-writer.ts";

/** Writes the fields of a JSONSchemaProps, which some special types contain. */
export type WriteSchema = (schema: JsonRecord) => void;

/** Encodes the JSON form of a special type as its message. */
export function writeSpecial(writer: ProtobufWriter, name: string, value: unknown, writeSchema: WriteSchema): void {
  switch (name) {
    case "v1.Time":
    case "v1.MicroTime":
      writeTime(writer, name, value);
      break;
    case "resource.Quantity":
      writer.string(
        1,
        typeof value === "string" && isQuantity(value) ? parseQuantity(value).toString() : quantityText(value),
      );
      break;
    case "intstr.IntOrString":
      writer.string(3, typeof value === "string" ? value : "");
      writer.int(2, typeof value === "number" ? value : 0);
      writer.int(1, typeof value === "string" ? 1 : 0);
      break;
    case "v1.JSONSchemaPropsOrBool":
      if (isRecord(value)) writer.message(2, () => writeSchema(value));
      writer.int(1, value === true || isRecord(value) ? 1 : 0);
      break;
    case "v1.JSONSchemaPropsOrArray":
    case "v1.JSONSchemaPropsOrStringArray":
      writeSchemaOr(writer, value, writeSchema);
      break;
    default:
      if (value !== null && value !== undefined) writer.bytes(1, Buffer.from(encodeJson(value)));
  }
}

function quantityText(value: unknown): string {
  return typeof value === "number" || typeof value === "bigint" ? parseQuantity(String(value)).toString() : "0";
}

function writeTime(writer: ProtobufWriter, name: string, value: unknown): void {
  if (typeof value !== "string") return;
  const { seconds, nanoseconds } = parseInstant(value);
  writer.int(2, name === "v1.Time" ? 0 : Math.floor(nanoseconds / 1000) * 1000);
  writer.int(1, seconds);
}

function writeSchemaOr(writer: ProtobufWriter, value: unknown, writeSchema: WriteSchema): void {
  if (isRecord(value)) writer.message(1, () => writeSchema(value));
  if (!isList(value)) return;
  for (let i = value.length - 1; i >= 0; i -= 1) {
    const each = value[i];
    if (typeof each === "string") writer.string(2, each);
    else if (isRecord(each)) writer.message(2, () => writeSchema(each));
  }
}
