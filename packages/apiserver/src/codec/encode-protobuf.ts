import { isList, isRecord, type JsonRecord, ownValue } from "@homeostat/core";
import { compareBytes } from "./go-text.ts";
import { ProtobufWriter } from "./protobuf-writer.ts";
import { type GoType, type StructType, typeTable, type WireField } from "./type-table.ts";
import { writeSpecial } from "./write-special.ts";

/**
 * Encodes an object of a Kubernetes API type as protobuf, byte for byte as Go does.
 *
 * The object must have the form that `decodeProtobuf` and `decodeTyped` return; unknown keys are omitted.
 */
export function encodeProtobuf(type: StructType, object: Readonly<JsonRecord>): Buffer {
  const writer = new ProtobufWriter();
  writeMessage(writer, type, object);
  return writer.finish();
}

/** Writes the fields of a struct in reverse order, as {@link ProtobufWriter} requires. */
export function writeMessage(writer: ProtobufWriter, type: StructType, object: Readonly<JsonRecord>): void {
  for (let i = type.wire.length - 1; i >= 0; i -= 1) {
    const field = type.wire[i];
    if (field !== undefined) writeField(writer, type, field, object);
  }
}

function writeField(writer: ProtobufWriter, owner: StructType, field: WireField, object: Readonly<JsonRecord>): void {
  const { number, type } = field;
  // The members of an embedded struct are in the same JSON object.
  if (field.isEmbedded && type.sort === "struct")
    return writer.message(number, () => writeMessage(writer, type, object));
  const value = ownValue(object, owner.members[field.offset]?.name ?? "") ?? null;
  if (type.sort !== "pointer") writeValue(writer, number, type, value);
  else if (value !== null) writeValue(writer, number, type.element, value);
}

/** Writes a value, or Go's zero value for `null`; writes nothing for an empty list or map. */
function writeValue(writer: ProtobufWriter, number: number, type: GoType, value: unknown): void {
  switch (type.sort) {
    case "string":
      writer.string(number, typeof value === "string" ? value : "");
      break;
    case "bytes":
      if (typeof value === "string") writer.bytes(number, Buffer.from(value, "base64"));
      break;
    case "bool":
      writer.int(number, value === true ? 1 : 0);
      break;
    case "int32":
    case "int64":
      writer.int(
        number,
        typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value)) ? value : 0,
      );
      break;
    case "float64":
      writer.double(number, typeof value === "number" || typeof value === "bigint" ? Number(value) : 0);
      break;
    case "struct":
      writer.message(number, () => writeMessage(writer, type, isRecord(value) ? value : {}));
      break;
    case "special":
      writer.message(number, () =>
        writeSpecial(writer, type.name, value, (schema) => writeMessage(writer, typeTable().schemaProps, schema)),
      );
      break;
    case "pointer":
      writeValue(writer, number, type.element, value);
      break;
    case "list":
      if (isList(value))
        for (let i = value.length - 1; i >= 0; i -= 1) writeValue(writer, number, type.element, value[i] ?? null);
      break;
    case "map":
      if (isRecord(value)) writeMap(writer, number, type.element, value);
      break;
    case "wrapped":
      if (isList(value)) writer.message(number, () => writeWrapped(writer, type.element, value));
      break;
    case "any":
      break;
  }
}

function writeMap(writer: ProtobufWriter, number: number, type: GoType, record: JsonRecord): void {
  const keys = Object.keys(record).sort(compareBytes);
  for (let i = keys.length - 1; i >= 0; i -= 1) {
    const key = keys[i] ?? "";
    writer.message(number, () => {
      writeValue(writer, 2, type, record[key] ?? null);
      writer.string(1, key);
    });
  }
}

function writeWrapped(writer: ProtobufWriter, type: GoType, list: readonly unknown[]): void {
  for (let i = list.length - 1; i >= 0; i -= 1) writeValue(writer, 1, type, list[i] ?? null);
}
