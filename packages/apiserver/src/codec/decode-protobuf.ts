import { type JsonRecord, safeSet } from "@homeostat/core";
import { ProtobufReader } from "./protobuf-reader.ts";
import { readSpecial } from "./read-special.ts";
import { type GoType, type StructType, typeTable, type WireField } from "./type-table.ts";
import { objectOf, type Slots, zeroOf } from "./zero.ts";

/**
 * Decodes a protobuf message of a Kubernetes API type to the JSON object that Go would serialize for it.
 *
 * Unknown fields are skipped, as by a server that is older than its client.
 *
 * @throws DecodeError if the bytes are not such a message.
 */
export function decodeProtobuf(type: StructType, bytes: Uint8Array): JsonRecord {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return readMessage(new ProtobufReader(buffer), type);
}

/** Reads the rest of a message as the object of a struct. */
export function readMessage(reader: ProtobufReader, type: StructType): JsonRecord {
  const slots: Slots = [];
  readInto(reader, type, slots, 0);
  return objectOf(type, slots);
}

/** Reads a message into the slots of its struct, or of the struct that embeds it. */
function readInto(reader: ProtobufReader, type: StructType, slots: Slots, offset: number): void {
  const name = shortName(type.name);
  while (reader.next(name)) {
    const field = type.byNumber.get(reader.field);
    if (field === undefined) reader.skip();
    else readField(reader, type, field, slots, offset);
  }
}

function readField(reader: ProtobufReader, owner: StructType, field: WireField, slots: Slots, base: number): void {
  const at = base + field.offset;
  const name = fieldName(owner.members[field.offset]?.name ?? "", field.type);
  let { type } = field;
  if (field.isEmbedded && type.sort === "struct") return readInto(reader.message(type.name), type, slots, at);
  if (type.sort === "pointer") type = type.element;
  switch (type.sort) {
    case "list": {
      const existing = slots[at];
      const list: unknown[] = Array.isArray(existing) ? existing : [];
      list.push(readOne(reader, type.element, name));
      slots[at] = list;
      break;
    }
    case "map": {
      const existing = slots[at];
      const record: JsonRecord = isJsonRecord(existing) ? existing : {};
      readEntry(reader.message(name), type.element, record, name);
      slots[at] = record;
      break;
    }
    default:
      slots[at] = readOne(reader, type, name);
  }
}

function isJsonRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readEntry(entry: ProtobufReader, type: GoType, record: JsonRecord, name: string): void {
  let key = "";
  let value: unknown;
  while (entry.next(name)) {
    if (entry.field === 1) key = entry.string(name);
    else if (entry.field === 2) value = readOne(entry, type, name);
    else entry.skip();
  }
  safeSet(record, key, value === undefined ? zeroOf(type) : value);
}

/** Reads a single value that is neither a list nor a map. */
function readOne(reader: ProtobufReader, type: GoType, name: string): unknown {
  switch (type.sort) {
    case "string":
      return reader.string(name);
    case "bytes":
      return reader.bytes(name).toString("base64");
    case "bool":
      return reader.bool(name);
    case "int32":
      return reader.int32(name);
    case "int64":
      return reader.int64(name);
    case "float64":
      return reader.double(name);
    case "struct":
      return readMessage(reader.message(name), type);
    case "special":
      return readSpecial(reader.message(name), type.name, readSchema);
    case "pointer":
      return readOne(reader, type.element, name);
    case "wrapped":
      return readWrapped(reader.message(name), type.element, name);
    default:
      reader.skip();
      return undefined;
  }
}

function readSchema(reader: ProtobufReader): JsonRecord {
  return readMessage(reader, typeTable().schemaProps);
}

/** Reads a list type that is its own message: its elements are field 1. */
function readWrapped(reader: ProtobufReader, type: GoType, name: string): unknown[] {
  const list: unknown[] = [];
  while (reader.next(name)) {
    if (reader.field === 1) list.push(readOne(reader, type, name));
    else reader.skip();
  }
  return list;
}

/** Returns the Go name of a field, close enough for a message: `replicas` is `Replicas`. */
function fieldName(name: string, type: GoType): string {
  if (name === "metadata") return shortName(type.name);
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

function shortName(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}
