import { once } from "@homeostat/core";
import { printShort, printValue } from "./print.ts";

/**
 * Type of a problem: the field error types of Kubernetes (`field.ErrorType`) without their common prefix. Clients get `Invalid`
 * as the cause `FieldValueInvalid`. See {@link causeReason}.
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

/** A problem of a value or a schema, with its path. Corresponds to `field.Error` of Kubernetes. */
export interface Problem {
  /** Path of the field, such as `spec.ports[0].name`. Empty for the whole object. */
  readonly path: string;
  readonly type: ProblemType;
  /** Requirement that the value violates. May be empty, as `Required` often needs no detail. */
  readonly detail: string;
  /** The invalid value, or the name of its type. Absent if the message does not show the value. */
  readonly value?: unknown;
  /** Advice that is more specific than the message of the API server. Not part of `message`. */
  readonly hint?: string;
  /** Message of the API server without the path: `Invalid value: 0: must be positive`. */
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

/** Formats a problem as one line, exactly as the API server does: `spec.replicas: Required value`. */
export function formatProblem(problem: Problem): string {
  // For the whole object the path is a nil pointer in the API server, which prints as `<nil>`.
  return `${problem.path === "" ? "<nil>" : problem.path}: ${problem.message}`;
}

/**
 * Formats a problem like {@link formatProblem}, with values cut to 256 characters. For answers to clients that may send anything:
 * takes no longer for a value of megabytes.
 */
export function formatShortProblem(problem: Problem): string {
  return `${problem.path === "" ? "<nil>" : problem.path}: ${shortMessage(problem)}`;
}

/** Returns the message of a problem with values cut to 256 characters. */
export function shortMessage(problem: Problem): string {
  const source = sources.get(problem);
  if (source === undefined) return problem.message;
  const { shown, detail } = source;
  return messageOf(problem.type, shown && printShown(shown, printShort), textOf(detail, printShort));
}

/** Returns the `reason` of a problem in the causes of a Kubernetes Status: `FieldValueInvalid`. */
export function causeReason(problem: Problem): string {
  return problem.type === "Internal" ? "InternalError" : `FieldValue${problem.type}`;
}

/** The value that a message shows. Without `value` the message shows none; `printed` overrides the usual form. */
export interface Shown {
  readonly value?: unknown;
  readonly printed?: string | ((print: Print) => string);
}

/** Prints a value for a message: {@link printValue} or {@link printShort}. */
type Print = (value: unknown) => string;

/** The detail of a problem. A function prints the values in the text and is only called if the text is read. */
export type Detail = string | ((print: Print) => string);

/** Returns a problem of an invalid value. */
export function invalid(path: string, shown: Shown, detail: Detail): Problem {
  return shownProblem("Invalid", path, shown, detail);
}

/** Returns a problem of a value of the wrong type. `value` is the value or the name of its type. */
export function typeInvalid(path: string, value: unknown, detail: Detail): Problem {
  return shownProblem("TypeInvalid", path, { value }, detail);
}

/** Returns a problem of a missing value. */
export function required(path: string, detail = ""): Problem {
  return quietProblem("Required", path, detail);
}

/** Returns a problem of a value that must not be set, whatever it is. */
export function forbidden(path: string, detail: string): Problem {
  return quietProblem("Forbidden", path, detail);
}

/** Returns a problem of a value that occurs more than once. */
export function duplicate(path: string, shown: Shown): Problem {
  return shownProblem("Duplicate", path, shown, "");
}

/** Returns a problem of a value that is not one of the supported values. */
export function notSupported(path: string, value: unknown, supported: readonly string[]): Problem {
  const detail =
    supported.length === 0 ? "" : `supported values: ${supported.map((each) => printValue(each)).join(", ")}`;
  return shownProblem("NotSupported", path, { value }, detail);
}

/** Returns a problem of a string that is too long. The message does not show the string. */
export function tooLong(path: string, bytesMax: number): Problem {
  return quietProblem("TooLong", path, `may not be more than ${bytesMax} ${bytesMax === 1 ? "byte" : "bytes"}`);
}

/** Returns a problem of a list or map with too many entries. */
export function tooMany(path: string, count: number, countMax: number): Problem {
  const detail = `must have at most ${countMax} ${countMax === 1 ? "item" : "items"}`;
  return shownProblem("TooMany", path, { value: count }, detail);
}

/** Returns a problem that the author of the value did not cause. */
export function internal(path: string, detail: string): Problem {
  return quietProblem("Internal", path, detail);
}

interface Source {
  readonly shown?: Shown | undefined;
  readonly detail: Detail;
}

/** The parts of problems with lazy texts, for {@link shortMessage}. */
const sources = new WeakMap<Problem, Source>();

function shownProblem(type: ProblemType, path: string, shown: Shown, detail: Detail): Problem {
  return "value" in shown ? lazyProblem(type, path, { shown, detail }) : quietProblem(type, path, detail);
}

function quietProblem(type: ProblemType, path: string, detail: Detail): Problem {
  if (typeof detail === "function") return lazyProblem(type, path, { detail });
  return { path, type, detail, message: messageOf(type, undefined, detail) };
}

/**
 * Builds a problem whose texts are built when they are read first. The value is the user's and may have megabytes, to quote them takes a
 * while, and webhooks read only the short message.
 */
function lazyProblem(type: ProblemType, path: string, source: Source): Problem {
  const { shown } = source;
  const detail = once(() => textOf(source.detail, printValue));
  const message = once(() => messageOf(type, shown && printShown(shown, printValue), detail()));
  const problem: Problem = {
    path,
    type,
    get detail() {
      return detail();
    },
    ...(shown !== undefined && { value: shown.value }),
    get message() {
      return message();
    },
  };
  sources.set(problem, source);
  return problem;
}

function printShown({ value, printed }: Shown, print: Print): string {
  return typeof printed === "function" ? printed(print) : (printed ?? print(value));
}

function textOf(detail: Detail, print: Print): string {
  return typeof detail === "function" ? detail(print) : detail;
}

function messageOf(type: ProblemType, printed: string | undefined, detail: string): string {
  return [titles[type], printed, detail].filter((part) => part !== undefined && part !== "").join(": ");
}
