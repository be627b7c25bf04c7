// Builders for problems of rules that a schema cannot express, with messages in the form of the API server.

import { forbidden, formatShortProblem, invalid, type Problem, required } from "./problem.ts";
import { printShort } from "./print.ts";

/**
 * Describes a field with an invalid value. Long values are cut in the message.
 *
 * @example
 * formatProblem(invalidField("spec.replicas", 0, "must be at least 1")); // 'spec.replicas: Invalid value: 0: must be at least 1'
 */
export function invalidField(path: string, value: unknown, detail: string): Problem {
  return invalid(path, { value, printed: () => printShort(value) }, detail);
}

/** Describes a field that is missing. */
export function requiredField(path: string, detail: string): Problem {
  return required(path, detail);
}

/** Describes a field that must not be set. */
export function forbiddenField(path: string, detail: string): Problem {
  return forbidden(path, detail);
}

/** Returns the path of a map entry: `spec.config[maxmemory]`. Quotes keys with characters other than those of names. */
export function entryPath(path: string, key: string): string {
  return `${path}[${/^[\w./-]{1,253}$/.test(key) ? key : printShort(key)}]`;
}

/** Formats problems as the API server lists them: several are enclosed in brackets. Long values are cut. Returns "" for none. */
export function formatProblems(problems: readonly Problem[]): string {
  const lines = problems.map(formatShortProblem);
  return lines.length > 1 ? `[${lines.join(", ")}]` : (lines[0] ?? "");
}
