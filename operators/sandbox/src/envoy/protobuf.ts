// Encodes objects in the JSON form of protocol buffers as binary messages, and reads the fields of binary messages.
//
// Only what discovery needs: https://protobuf.dev/programming-guides/encoding describes the format. Field numbers come from a table, so
// that a field without an entry fails instead of being lost.

/** Types of fields that are not messages of the table. */
type ScalarType = "string" | "bool" | "uint32" | "any" | "duration" | "uint32Value" | "boolValue";

/** The type of a field: a scalar, the values of an enum, or the name of a message. */
export type FieldType = ScalarType | { readonly enum: Readonly<Record<string, number>> } | { readonly message: string };

/** A field: number, type, and whether it is a list or a map with texts as keys. */
export type Field = readonly [number: number, type: FieldType, form?: "list" | "map"];

/** Messages by name, with their fields by name. */
export type Messages = Readonly<Record<string, Readonly<Record<string, Field>>>>;

/** Wire types. */
const varint = 0;
const lengthDelimited = 2;

/** Encodes a message. Throws an Error for fields and values that the table does not have. */
export function encodeMessage(messages: Messages, name: string, value: object): Buffer {
  const fields = messages[name];
  if (fields === undefined) throw new Error(`the message ${name} has no encoding`);
  const parts = Object.entries(value).flatMap(([key, content]) => {
    if (content === undefined || key === "@type") return [];
    const field = fields[key];
    if (field === undefined) throw new Error(`the field ${key} of ${name} has no encoding`);
    return encodeField(messages, field, content);
  });
  return Buffer.concat(parts);
}

/** Encodes a message with its type, as `google.protobuf.Any`. */
export function encodeAny(messages: Messages, value: object): Buffer {
  const type: unknown = "@type" in value ? value["@type"] : undefined;
  if (typeof type !== "string") throw new Error("the resource has no @type");
  const name = type.slice(type.lastIndexOf("/") + 1);
  return Buffer.concat([textField(1, type), bytesField(2, encodeMessage(messages, name, value))]);
}

function encodeField(messages: Messages, [number, type, form]: Field, content: unknown): readonly Buffer[] {
  if (form === "list") {
    if (!Array.isArray(content)) throw new Error(`field ${number} must be a list`);
    return content.map((each) => encodeValue(messages, number, type, each));
  }
  if (form === "map") {
    return Object.entries(asObject(content)).map(([key, each]) =>
      bytesField(number, Buffer.concat([textField(1, key), encodeValue(messages, 2, type, each)])),
    );
  }
  return [encodeValue(messages, number, type, content)];
}

function encodeValue(messages: Messages, number: number, type: FieldType, content: unknown): Buffer {
  if (typeof type === "object") {
    if ("message" in type) return bytesField(number, encodeMessage(messages, type.message, asObject(content)));
    const value = type.enum[String(content)];
    if (value === undefined) throw new Error(`${String(content)} is not a value of the enum of field ${number}`);
    return numberField(number, value);
  }
  switch (type) {
    case "string":
      return textField(number, String(content));
    case "bool":
      return numberField(number, content === true ? 1 : 0);
    case "uint32":
      return numberField(number, asNumber(content));
    case "boolValue":
      return bytesField(number, numberField(1, content === true ? 1 : 0));
    case "uint32Value":
      return bytesField(number, numberField(1, asNumber(content)));
    case "duration":
      return bytesField(number, numberField(1, secondsOf(content)));
    case "any":
      return bytesField(number, encodeAny(messages, asObject(content)));
  }
}

function asObject(content: unknown): object {
  if (typeof content !== "object" || content === null) throw new Error("a message must be an object");
  return content;
}

function asNumber(content: unknown): number {
  if (typeof content !== "number" || !Number.isInteger(content) || content < 0 || content > 0xffff_ffff)
    throw new Error(`${String(content)} is not a number of 32 bits`);
  return content;
}

/** Durations are whole seconds in all resources. */
function secondsOf(content: unknown): number {
  const seconds = /^(\d+)s$/.exec(String(content))?.[1];
  if (seconds === undefined) throw new Error(`${String(content)} is not a duration in seconds`);
  return Number(seconds);
}

/** Returns a field with a text. */
export function textField(number: number, text: string): Buffer {
  return bytesField(number, Buffer.from(text, "utf8"));
}

/** Returns a field with bytes or a message. */
export function bytesField(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([encodeVarint(number * 8 + lengthDelimited), encodeVarint(bytes.length), bytes]);
}

function numberField(number: number, value: number): Buffer {
  return Buffer.concat([encodeVarint(number * 8 + varint), encodeVarint(value)]);
}

function encodeVarint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  return Buffer.from([...bytes, rest]);
}

/** The most significant group of seven bits of a number of 64 bits. */
const varintBytesMax = 10;

/** Reads the length-delimited fields of a message in order. Fields of other types are skipped. Throws an Error for malformed messages. */
export function* readFields(message: Buffer): Generator<readonly [number: number, value: Buffer]> {
  let at = 0;
  const readVarint = (): number => {
    let value = 0;
    for (let i = 0; i < varintBytesMax; i += 1) {
      const byte = message[at];
      if (byte === undefined) throw new Error("the message ends within a number");
      at += 1;
      value += (byte % 128) * 2 ** (7 * i);
      if (byte < 128) return value;
    }
    throw new Error("a number of the message is too long");
  };
  const skip = (bytes: number): number => {
    if (at + bytes > message.length) throw new Error("the message ends within a field");
    at += bytes;
    return at;
  };
  while (at < message.length) {
    const tag = readVarint();
    const number = Math.floor(tag / 8);
    const wireType = tag % 8;
    if (wireType === varint) readVarint();
    else if (wireType === 1) skip(8);
    else if (wireType === 5) skip(4);
    else if (wireType === lengthDelimited) {
      const length = readVarint();
      const start = at;
      yield [number, message.subarray(start, skip(length))];
    } else throw new Error(`the message has a field of the unknown type ${wireType}`);
  }
}
