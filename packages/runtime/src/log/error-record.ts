import { cutText } from "@homeostat/core";

/** An error as plain data for a log line. */
export interface ErrorRecord {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: ErrorRecord;
  /** The first errors of an `AggregateError`. */
  readonly errors?: readonly ErrorRecord[];
}

/** Maximum depth of nested causes. */
const depthMax = 6;
/** Maximum number of errors shown of an `AggregateError`. */
const partsMax = 5;
const messageLengthMax = 2000;
const stackLengthMax = 4000;

/**
 * Returns the name, message, code and stack of a thrown value, and those of its causes.
 *
 * Other properties are omitted: a request or response attached to an error may contain a token.
 */
export function recordOfError(error: unknown, depth = 1): ErrorRecord {
  if (!(error instanceof Error)) return { name: nameOfType(error), message: textOf(error) };
  const { name, message, stack, cause } = error;
  const code = "code" in error ? error.code : undefined;
  const parts: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  const isDeep = depth >= depthMax;
  return {
    name,
    message: cutText(message, messageLengthMax),
    ...(typeof code === "string" || typeof code === "number" ? { code: String(code) } : {}),
    ...(stack === undefined ? {} : { stack: cutText(stack, stackLengthMax) }),
    ...(cause === undefined || isDeep ? {} : { cause: recordOfError(cause, depth + 1) }),
    ...(parts.length === 0 || isDeep
      ? {}
      : { errors: parts.slice(0, partsMax).map((part) => recordOfError(part, depth + 1)) }),
  };
}

/** Returns an error as one line: its message and code, followed by those of its causes. */
export function sentenceOfError(error: unknown): string {
  const sentences: string[] = [];
  for (let record: ErrorRecord | undefined = recordOfError(error); record !== undefined; record = record.cause) {
    const { message, name, code } = record;
    sentences.push(`${message === "" ? name : message}${code === undefined ? "" : ` (${code})`}`);
  }
  return sentences.join("; caused by: ");
}

/**
 * Returns the text of a thrown value that is not an `Error`. The contents of objects are omitted, since they may be
 * secret.
 */
function textOf(value: unknown): string {
  if (typeof value === "string") return cutText(value, messageLengthMax);
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

function nameOfType(value: unknown): string {
  return value === null ? "null" : `thrown ${typeof value}`;
}
