import { cutText } from "@homeostat/core";

/** An error as data: what a log line can hold of it. */
export interface ErrorRecord {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: ErrorRecord;
  /** The errors that it is made of, the first few. */
  readonly errors?: readonly ErrorRecord[];
}

/** How many causes of causes are told. */
const depthMax = 6;
/** How many errors of an `AggregateError` are told. */
const partsMax = 5;
const messageLengthMax = 2000;
const stackLengthMax = 4000;

/**
 * What a log tells of something that was thrown: its name, message, code and stack, and those of its causes.
 *
 * Nothing else of it: a request or an answer that hangs on an error may hold a token.
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

/** An error in one line: its message and code, then those of its causes. */
export function sentenceOfError(error: unknown): string {
  const sentences: string[] = [];
  for (let record: ErrorRecord | undefined = recordOfError(error); record !== undefined; record = record.cause) {
    const { message, name, code } = record;
    sentences.push(`${message === "" ? name : message}${code === undefined ? "" : ` (${code})`}`);
  }
  return sentences.join("; caused by: ");
}

/** Things other than errors can be thrown; of objects nothing is told, since nobody knows what is in them. */
function textOf(value: unknown): string {
  if (typeof value === "string") return cutText(value, messageLengthMax);
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

function nameOfType(value: unknown): string {
  return value === null ? "null" : `thrown ${typeof value}`;
}
