import { ParseError } from "../errors/parse-error.ts";
import { isList, isRecord, type JsonRecord, ownValue } from "../value/record.ts";

/**
 * Parses a JSON Pointer (RFC 6901) into steps: `"/spec/ports/0"` is `["spec", "ports", "0"]`, `""` is the whole document.
 *
 * Throws a {@link ParseError} with the position if the text is not a pointer.
 */
export function parsePointer(text: string): string[] {
  if (text === "") return [];
  if (!text.startsWith("/")) throw malformed(text, 0, "must be empty or begin with /");
  const wrong = /~(?![01])/.exec(text);
  if (wrong !== null) throw malformed(text, wrong.index, "~ must be followed by 0 (for ~) or 1 (for /)");
  return text
    .slice(1)
    .split("/")
    .map((step) => (step.includes("~") ? step.replaceAll("~1", "/").replaceAll("~0", "~") : step));
}

/** Formats steps as a JSON Pointer. The inverse of {@link parsePointer}. */
export function formatPointer(steps: readonly (string | number)[]): string {
  return steps.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/**
 * Returns the value at a JSON Pointer, or undefined if the path does not exist.
 *
 * Only own properties and elements count: `/constructor` of `{}` is undefined.
 *
 * @example
 * readPointer(pod, "/spec/containers/0/image");
 */
export function readPointer(document: unknown, pointer: string | readonly string[]): unknown {
  let value = document;
  for (const step of typeof pointer === "string" ? parsePointer(pointer) : pointer) {
    if (isList(value)) value = isIndex(step) ? value[Number(step)] : undefined;
    else if (isRecord(value)) value = ownValue(value, step);
    else return undefined;
  }
  return value;
}

/**
 * Returns a copy of a JSON object with a value set at a path of keys, or removed if the value is undefined. Missing objects on the path
 * are created; lists and other values on the path are replaced by objects.
 *
 * @example
 * withPointer({ a: { b: 1 } }, ["a", "c"], 2); // { a: { b: 1, c: 2 } }
 */
export function withPointer(
  record: JsonRecord,
  [first, ...rest]: readonly [string, ...string[]],
  value: unknown,
): JsonRecord {
  const [second, ...others] = rest;
  if (second !== undefined) {
    const inner = ownValue(record, first);
    if (!isRecord(inner) && value === undefined) return record;
    return { ...record, [first]: withPointer(isRecord(inner) ? inner : {}, [second, ...others], value) };
  }
  if (value !== undefined) return { ...record, [first]: value };
  const { [first]: _, ...kept } = record;
  return kept;
}

/** Reports whether a step is a valid index of a list: up to 15 digits without a leading zero. */
export function isIndex(step: string): boolean {
  return /^(?:0|[1-9][0-9]{0,14})$/.test(step);
}

function malformed(input: string, offset: number, problem: string): ParseError {
  return new ParseError({ what: "JSON pointer", input, offset, problem });
}
