import { cutText } from "@homeostat/core";
import { formatProblem, type Problem, type ProblemType } from "@homeostat/schema";

export type { Problem } from "@homeostat/schema";

/** How many characters of a user's value a message repeats. */
const shownMax = 256;

/** The limit of `status.message`. */
const textLengthMax = 1024;

export function invalid(path: string, value: unknown, detail: string): Problem {
  return { path, type: "Invalid", detail, value, message: `Invalid value: ${shown(value)}: ${detail}` };
}

export function required(path: string, detail: string): Problem {
  return withoutValue("Required", path, { title: "Required value", detail });
}

export function forbidden(path: string, detail: string): Problem {
  return withoutValue("Forbidden", path, { title: "Forbidden", detail });
}

function withoutValue(type: ProblemType, path: string, { title, detail }: { title: string; detail: string }): Problem {
  return { path, type, detail, message: `${title}: ${detail}` };
}

/** Returns the path of a map entry: `spec.redis.config[maxmemory]`. Unusual keys are quoted. */
export function at(path: string, key: string): string {
  return `${path}[${/^[\w./-]{1,253}$/.test(key) ? key : quoted(key)}]`;
}

/**
 * Formats all problems as one text, as the webhook does; empty when there are none.
 *
 * @example
 * describeProblems([invalid("spec.a", 0, "must be more")]); // "spec.a: Invalid value: 0: must be more"
 */
export function describeProblems(problems: readonly Problem[]): string {
  return cutText(listed(problems.map(formatProblem)), textLengthMax);
}

/** Joins texts as API servers do. */
export function listed(texts: readonly string[]): string {
  return texts.length === 1 ? (texts[0] ?? "") : texts.length === 0 ? "" : `[${texts.join(", ")}]`;
}

function shown(value: unknown): string {
  return typeof value === "string" ? quoted(value) : quoted(JSON.stringify(value) ?? "null").slice(1, -1);
}

/** Quotes a text and escapes everything that a terminal could interpret. */
function quoted(text: string): string {
  return JSON.stringify(cutText(text, shownMax)).replaceAll(
    /[\u007F-\u009F\u2028\u2029\u200B-\u200F\u202A-\u202E]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
