import { isRecord, type JsonRecord, safeSet } from "@homeostat/core";
import { DecodeError } from "./decode-error.ts";
import { readUtf8 } from "./go-text.ts";
import { jsonDepthMax, JsonReader } from "./json-reader.ts";
import { StrictLog } from "./strict-log.ts";

/** A parsed JSON text. */
export interface ReadJson {
  readonly value: unknown;
  /** Strict decoding errors for duplicate keys: `duplicate field "spec.foo"`. The last value wins. */
  readonly duplicates: readonly string[];
}

/**
 * Parses JSON as a Kubernetes API server does: integers are exact, as `bigint` if a `number` cannot represent them.
 *
 * Keys such as `__proto__` are ordinary data.
 *
 * @throws DecodeError in the words of the API server.
 *
 * @example
 * readJson(body).value; // { spec: { replicas: 3 } }
 */
export function readJson(body: Uint8Array | string): ReadJson {
  const text = typeof body === "string" ? body : readUtf8(body);
  const plain = readPlain(text);
  if (plain !== undefined) return { value: plain, duplicates: [] };
  const reader = new JsonReader(text);
  const log = new StrictLog();
  const failures: DecodeError[] = [];
  const value = readValue(reader, log, (error) => failures.push(error));
  reader.end();
  if (failures[0] !== undefined) throw failures[0];
  return { value, duplicates: log.errors };
}

/** A text with no more brackets than this cannot be nested too deeply. */
const bracketsMax = jsonDepthMax;
/**
 * Matches numbers so long that JSON.parse may round them. A number is preceded by one of these characters; others are
 * inside strings.
 */
export const longNumber: RegExp = /[:,[\s-]\d{16}/;

/**
 * Parses a text with JSON.parse if serializing the result gives exactly the same text, which proves that there are no
 * duplicate keys and no rounded numbers; returns undefined otherwise. Most clients send such texts, and JSON.parse is
 * several times as fast as the reader.
 */
function readPlain(text: string): JsonRecord | undefined {
  if (text.charCodeAt(0) !== 0x7b || longNumber.test(text) || bracketsOf(text) > bracketsMax) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const end = text.endsWith("\n") ? -1 : text.length;
  return isRecord(value) && JSON.stringify(value) === text.slice(0, end) ? value : undefined;
}

function bracketsOf(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0x7b || unit === 0x5b) count += 1;
  }
  return count;
}

/**
 * Reads the next value of any type.
 *
 * `onFailure` is called for values that are valid JSON but cannot be represented, such as `1e400`; syntax errors throw.
 */
export function readValue(
  reader: JsonReader,
  log: StrictLog | undefined,
  onFailure: (error: DecodeError) => void,
): unknown {
  switch (reader.start()) {
    case "object":
      return readObject(reader, log, onFailure);
    case "array":
      return readArray(reader, log, onFailure);
    case "string":
      return reader.string();
    case "number":
      return readNumber(reader.number(), onFailure);
    default:
      return reader.literal();
  }
}

function readObject(
  reader: JsonReader,
  log: StrictLog | undefined,
  onFailure: (error: DecodeError) => void,
): JsonRecord {
  const record: JsonRecord = {};
  const depth = log?.depth ?? 0;
  reader.enter();
  for (let isFirst = true; ; isFirst = false) {
    const key = reader.nextKey(isFirst);
    if (key === undefined) return record;
    if (log === undefined) {
      safeSet(record, key, readValue(reader, log, onFailure));
      continue;
    }
    if (Object.hasOwn(record, key)) log.duplicateField(key);
    log.enterKey(key);
    safeSet(record, key, readValue(reader, log, onFailure));
    log.leaveTo(depth);
  }
}

function readArray(reader: JsonReader, log: StrictLog | undefined, onFailure: (error: DecodeError) => void): unknown[] {
  const list: unknown[] = [];
  const depth = log?.depth ?? 0;
  reader.enter();
  for (let isFirst = true; reader.nextElement(isFirst); isFirst = false) {
    log?.enterIndex(list.length);
    list.push(readValue(reader, log, onFailure));
    log?.leaveTo(depth);
  }
  return list;
}

const int64Max = 2n ** 63n - 1n;
const int64Min = -(2n ** 63n);

/** Parses a number: an integer if it has no fraction and fits in 64 bits, else the nearest double. */
export function readNumber(text: string, onFailure: (error: DecodeError) => void): number | bigint {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return text.startsWith("-0") && value === 0 && /^-0$/.test(text) ? 0 : value;
  if (text.length > 15 && /^-?[0-9]+$/.test(text) && text.length < 21) {
    const whole = BigInt(text);
    if (whole <= int64Max && whole >= int64Min) return whole;
  }
  if (!Number.isFinite(value)) {
    onFailure(new DecodeError(`json: cannot unmarshal number ${text} into Go value of type float64`));
  }
  return value;
}
