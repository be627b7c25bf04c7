import { failure, type CelFailure } from "../failure.ts";
import { defineOverload, type FunctionDeclaration } from "../library.ts";
import { formatDuration, parseDuration } from "../values/duration-text.ts";
import { formatTimestamp, parseTimestamp } from "../values/timestamp-text.ts";
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  stringType,
  timestampType,
  typeOfType,
  typeParameter,
  uintType,
} from "../types/type.ts";
import { formatDouble, parseDouble } from "../values/double-text.ts";
import { isInt64, isUint64 } from "../values/int64.ts";
import { CelTimestamp, timestampNanosMax, timestampNanosMin } from "../values/timestamp.ts";
import { typeNameOf } from "../values/type-of.ts";
import { CelTypeValue, CelUint, type CelValue } from "../values/value.ts";

const a = typeParameter("A");
const same = <T>(value: T): T => value;

/** `bool`, `bytes`, `double`, `duration`, `dyn`, `int`, `string`, `timestamp`, `type` and `uint`. */
export const conversionFunctions = (): readonly FunctionDeclaration[] => [
  {
    name: "bool",
    overloads: [
      defineOverload({ id: "bool_to_bool", params: [boolType], result: boolType, implement: same }),
      defineOverload({ id: "string_to_bool", params: [stringType], result: boolType, implement: readBool }),
    ],
  },
  {
    name: "bytes",
    overloads: [
      defineOverload({ id: "bytes_to_bytes", params: [bytesType], result: bytesType, implement: same }),
      defineOverload({
        id: "string_to_bytes",
        params: [stringType],
        result: bytesType,
        implement: (text) => new TextEncoder().encode(text),
      }),
    ],
  },
  {
    name: "double",
    overloads: [
      defineOverload({ id: "double_to_double", params: [doubleType], result: doubleType, implement: same }),
      defineOverload({ id: "int64_to_double", params: [intType], result: doubleType, implement: Number }),
      defineOverload({
        id: "string_to_double",
        params: [stringType],
        result: doubleType,
        implement: (text) => parseDouble(text) ?? notConvertible("string", "double"),
      }),
      defineOverload({
        id: "uint64_to_double",
        params: [uintType],
        result: doubleType,
        implement: (value) => Number(value.value),
      }),
    ],
  },
  {
    name: "duration",
    overloads: [
      defineOverload({ id: "duration_to_duration", params: [durationType], result: durationType, implement: same }),
      defineOverload({
        id: "int64_to_duration",
        params: [intType],
        result: durationType,
        implement: () => notConvertible("int", "google.protobuf.Duration"),
      }),
      defineOverload({
        id: "string_to_duration",
        params: [stringType],
        result: durationType,
        implement: (text) => parseDuration(text) ?? notConvertible("string", "google.protobuf.Duration"),
      }),
    ],
  },
  { name: "dyn", overloads: [{ id: "to_dyn", params: [a], result: dynType, implement: (value: CelValue) => value }] },
  {
    name: "int",
    overloads: [
      defineOverload({ id: "int64_to_int64", params: [intType], result: intType, implement: same }),
      defineOverload({ id: "double_to_int64", params: [doubleType], result: intType, implement: doubleToInt }),
      defineOverload({
        id: "duration_to_int64",
        params: [durationType],
        result: intType,
        implement: (duration) => duration.nanos,
      }),
      defineOverload({ id: "string_to_int64", params: [stringType], result: intType, implement: readInt }),
      defineOverload({
        id: "timestamp_to_int64",
        params: [timestampType],
        result: intType,
        implement: epochSeconds,
      }),
      defineOverload({
        id: "uint64_to_int64",
        params: [uintType],
        result: intType,
        implement: ({ value }) => (isInt64(value) ? value : failure("integer overflow")),
      }),
    ],
  },
  {
    name: "string",
    overloads: [
      defineOverload({ id: "string_to_string", params: [stringType], result: stringType, implement: same }),
      defineOverload({ id: "bool_to_string", params: [boolType], result: stringType, implement: String }),
      defineOverload({ id: "bytes_to_string", params: [bytesType], result: stringType, implement: decode }),
      defineOverload({ id: "double_to_string", params: [doubleType], result: stringType, implement: formatDouble }),
      defineOverload({
        id: "duration_to_string",
        params: [durationType],
        result: stringType,
        implement: formatDuration,
      }),
      defineOverload({ id: "int64_to_string", params: [intType], result: stringType, implement: String }),
      defineOverload({
        id: "timestamp_to_string",
        params: [timestampType],
        result: stringType,
        implement: formatTimestamp,
      }),
      defineOverload({
        id: "uint64_to_string",
        params: [uintType],
        result: stringType,
        implement: ({ value }) => String(value),
      }),
    ],
  },
  {
    name: "timestamp",
    overloads: [
      defineOverload({
        id: "timestamp_to_timestamp",
        params: [timestampType],
        result: timestampType,
        implement: same,
      }),
      defineOverload({
        id: "int64_to_timestamp",
        params: [intType],
        result: timestampType,
        implement: (seconds) => checked(new CelTimestamp(seconds * 1_000_000_000n)),
      }),
      defineOverload({
        id: "string_to_timestamp",
        params: [stringType],
        result: timestampType,
        implement: (text) => {
          const timestamp = parseTimestamp(text);
          return timestamp ? checked(timestamp) : notConvertible("string", "google.protobuf.Timestamp");
        },
      }),
    ],
  },
  {
    name: "type",
    overloads: [
      {
        id: "type",
        params: [a],
        result: typeOfType(a),
        implement: (value: CelValue) => new CelTypeValue(typeNameOf(value)),
      },
    ],
  },
  {
    name: "uint",
    overloads: [
      defineOverload({ id: "uint64_to_uint64", params: [uintType], result: uintType, implement: same }),
      defineOverload({
        id: "double_to_uint64",
        params: [doubleType],
        result: uintType,
        implement: (value) =>
          value >= 0 && value < 2 ** 64 ? uint(BigInt(Math.trunc(value))) : failure("unsigned integer overflow"),
      }),
      defineOverload({ id: "int64_to_uint64", params: [intType], result: uintType, implement: uint }),
      defineOverload({
        id: "string_to_uint64",
        params: [stringType],
        result: uintType,
        implement: (text) => {
          const value = /^\d{1,40}$/.test(text) ? BigInt(text) : -1n;
          return isUint64(value) ? new CelUint(value) : notConvertible("string", "uint");
        },
      }),
    ],
  },
];

function notConvertible(from: string, to: string): CelFailure {
  return failure(`type conversion error from '${from}' to '${to}'`);
}

function readBool(text: string): boolean | CelFailure {
  if (/^(1|t|T|true|True|TRUE)$/.test(text)) return true;
  return /^(0|f|F|false|False|FALSE)$/.test(text) ? false : notConvertible("string", "bool");
}

function readInt(text: string): bigint | CelFailure {
  if (!/^[+-]?\d+$/.test(text)) return notConvertible("string", "int");
  const digits = text.replace(/^\+/, "").replace(/^(-?)0+(?=\d)/, "$1");
  const value = digits.length > 20 ? undefined : BigInt(digits);
  return value !== undefined && isInt64(value) ? value : notConvertible("string", "int");
}

function doubleToInt(value: number): bigint | CelFailure {
  // As in cel-go, both bounds are excluded.
  return value > -(2 ** 63) && value < 2 ** 63 ? BigInt(Math.trunc(value)) : failure("integer overflow");
}

function uint(value: bigint): CelUint | CelFailure {
  return isUint64(value) ? new CelUint(value) : failure("unsigned integer overflow");
}

function epochSeconds(timestamp: CelTimestamp): bigint {
  const whole = timestamp.nanos / 1_000_000_000n;
  return timestamp.nanos < whole * 1_000_000_000n ? whole - 1n : whole;
}

function checked(timestamp: CelTimestamp): CelTimestamp | CelFailure {
  const inRange = timestamp.nanos >= timestampNanosMin && timestamp.nanos <= timestampNanosMax;
  return inRange ? timestamp : failure("timestamp overflow");
}

function decode(bytes: Uint8Array): string | CelFailure {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return failure("invalid UTF-8 in bytes, cannot convert to string");
  }
}
