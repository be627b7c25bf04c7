import { printValue } from "./print.ts";

/**
 * What kind of complaint a problem is.
 *
 * These are the field error types of Kubernetes without their common beginning: `Invalid` is reported to clients as the
 * cause `FieldValueInvalid`. See {@link causeReason}.
 */
export type ProblemType =
  | "Duplicate"
  | "Forbidden"
  | "Internal"
  | "Invalid"
  | "NotFound"
  | "NotSupported"
  | "Required"
  | "TooFew"
  | "TooLong"
  | "TooMany"
  | "TooShort"
  | "TypeInvalid";

/** One thing that is wrong with a value or with a schema, and where. */
export interface Problem {
  /** Where it is wrong, as `spec.ports[0].name`. Empty when the complaint is about the whole. */
  readonly path: string;
  readonly type: ProblemType;
  /** What would be right. May be empty: `Required` often needs no more words. */
  readonly detail: string;
  /** The value complained about, or a word for its type. Absent where the value is not shown. */
  readonly value?: unknown;
  /** What to do about it, where that can be said more precisely than the API server does. Not part of the message. */
  readonly hint?: string;
  /** Everything but the path, in the words of the API server: `Invalid value: 0: must be positive`. */
  readonly message: string;
}

const titles: { readonly [type in ProblemType]: string } = {
  Duplicate: "Duplicate value",
  Forbidden: "Forbidden",
  Internal: "Internal error",
  Invalid: "Invalid value",
  NotFound: "Not found",
  NotSupported: "Unsupported value",
  Required: "Required value",
  TooFew: "Too few",
  TooLong: "Too long",
  TooMany: "Too many",
  TooShort: "Too short",
  TypeInvalid: "Invalid value",
};

/** The problem as one line, exactly as the API server prints it: `spec.replicas: Required value`. */
export function formatProblem(problem: Problem): string {
  // A complaint about the whole object has no path there, and prints so.
  return `${problem.path === "" ? "<nil>" : problem.path}: ${problem.message}`;
}

/** The `reason` of a problem in the causes of a Kubernetes Status: `FieldValueInvalid`. */
export function causeReason(problem: Problem): string {
  return problem.type === "Internal" ? "InternalError" : `FieldValue${problem.type}`;
}

/** How the value complained about is shown: not at all when empty; as `printed` where the usual form will not do. */
export interface Shown {
  readonly value?: unknown;
  readonly printed?: string;
}

/** A value is not what it should be. */
export function invalid(path: string, shown: Shown, detail: string): Problem {
  return shownProblem("Invalid", path, shown, detail);
}

/** A value has another type than its schema wants; `value` is the value or the name of the type it has. */
export function typeInvalid(path: string, value: unknown, detail: string): Problem {
  return shownProblem("TypeInvalid", path, { value }, detail);
}

/** A value is missing. */
export function required(path: string, detail = ""): Problem {
  return quietProblem("Required", path, detail);
}

/** A value would be right elsewhere, but not here. */
export function forbidden(path: string, detail: string): Problem {
  return quietProblem("Forbidden", path, detail);
}

/** A value occurs twice where each may occur once. */
export function duplicate(path: string, shown: Shown): Problem {
  return shownProblem("Duplicate", path, shown, "");
}

/** A value is not one of a list. */
export function notSupported(path: string, value: unknown, supported: readonly string[]): Problem {
  const detail =
    supported.length === 0 ? "" : `supported values: ${supported.map((each) => printValue(each)).join(", ")}`;
  return shownProblem("NotSupported", path, { value }, detail);
}

/** A text is too long; the text itself is not shown. */
export function tooLong(path: string, bytesMax: number): Problem {
  return quietProblem("TooLong", path, `may not be more than ${bytesMax} ${bytesMax === 1 ? "byte" : "bytes"}`);
}

/** A list or map has too many entries. */
export function tooMany(path: string, count: number, countMax: number): Problem {
  const detail = `must have at most ${countMax} ${countMax === 1 ? "item" : "items"}`;
  return shownProblem("TooMany", path, { value: count }, detail);
}

/** Something failed that the author of the value cannot help. */
export function internal(path: string, detail: string): Problem {
  return quietProblem("Internal", path, detail);
}

function shownProblem(type: ProblemType, path: string, shown: Shown, detail: string): Problem {
  if (!("value" in shown)) return quietProblem(type, path, detail);
  const { value, printed = printValue(value) } = shown;
  return { path, type, detail, value, message: join(`${titles[type]}: ${printed}`, detail) };
}

function quietProblem(type: ProblemType, path: string, detail: string): Problem {
  return { path, type, detail, message: join(titles[type], detail) };
}

function join(head: string, detail: string): string {
  return detail === "" ? head : `${head}: ${detail}`;
}
