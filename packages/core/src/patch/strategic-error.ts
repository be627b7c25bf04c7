import { HomeostatError } from "../errors/error.ts";
import { isList, isRecord } from "../value/record.ts";
import { cutText } from "../value/text.ts";
import { formatPointer } from "./pointer.ts";

/**
 * Kind of failure of a strategic merge patch, which determines the response of an API server.
 *
 * - `malformed`: it is not a valid patch (400).
 * - `unprocessable`: it cannot be applied to this object (422).
 * - `unknown`: kube-apiserver responds with an internal error (500).
 */
export type StrategicFailure = "malformed" | "unprocessable" | "unknown";

/** A part of a message: text, or a JSON value that the reader of the message formats. */
export type MessagePart = string | { readonly value: unknown };

const shownMax = 200;
const shownDepthMax = 4;
const shownElementsMax = 10;

/**
 * Thrown when a strategic merge patch cannot be applied; nothing was changed.
 *
 * The wording is that of kube-apiserver. Values in it are JSON; {@link StrategicPatchError.describe} formats them in
 * another way.
 */
export class StrategicPatchError extends HomeostatError {
  readonly code = "STRATEGIC_PATCH";
  readonly failure: StrategicFailure;
  /** JSON Pointer of the problem in the patch. */
  readonly path: string;
  readonly #steps: readonly (string | number)[];
  readonly #parts: readonly MessagePart[];

  constructor(failure: StrategicFailure, parts: readonly MessagePart[], steps: readonly (string | number)[] = []) {
    super(joined(parts, (value) => cutText(shown(value, 0), shownMax)));
    this.failure = failure;
    this.path = formatPointer(steps);
    this.#steps = steps;
    this.#parts = parts;
  }

  /** Returns the message with values formatted by a function, such as one that prints them as Go does. */
  describe(format: (value: unknown) => string): string {
    return joined(this.#parts, format);
  }

  /** Returns the same error with a step before its path. */
  within(step: string | number): StrategicPatchError {
    return new StrategicPatchError(this.failure, this.#parts, [step, ...this.#steps]);
  }
}

function joined(parts: readonly MessagePart[], format: (value: unknown) => string): string {
  return parts.map((part) => (typeof part === "string" ? part : format(part.value))).join("");
}

/** Formats a value as JSON. Deep and long values are cut off: the patch is not trusted. */
function shown(value: unknown, depth: number): string {
  if (depth > shownDepthMax) return "…";
  const rest = (count: number): string => (count > shownElementsMax ? ",…" : "");
  if (isList(value)) {
    const elements = value.slice(0, shownElementsMax).map((each) => shown(each, depth + 1));
    return `[${elements.join(",")}${rest(value.length)}]`;
  }
  if (!isRecord(value)) return typeof value === "bigint" ? String(value) : (JSON.stringify(value) ?? "null");
  const fields = Object.entries(value);
  const texts = fields
    .slice(0, shownElementsMax)
    .map(([key, each]) => `${JSON.stringify(key)}:${shown(each, depth + 1)}`);
  return `{${texts.join(",")}${rest(fields.length)}}`;
}

/** Returns an error for which kube-apiserver has no other response than an internal error. */
export function unknownFailure(...parts: readonly MessagePart[]): StrategicPatchError {
  return new StrategicPatchError("unknown", parts);
}
