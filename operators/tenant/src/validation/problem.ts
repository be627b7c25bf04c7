import { cutText } from "@homeostat/core";
import { formatProblem, type Problem, type ProblemType } from "@homeostat/schema";

export type { Problem } from "@homeostat/schema";

/** How much of a user's own text is repeated in a message. */
const shownMax = 256;

/** How long the text about all problems gets; a status has room for less than a webhook's answer. */
const textLengthMax = 1024;

/** A value is not what it should be. */
export function invalid(path: string, value: unknown, detail: string): Problem {
  return { path, type: "Invalid", detail, value, message: `Invalid value: ${shown(value)}: ${detail}` };
}

/** A value is missing. */
export function required(path: string, detail: string): Problem {
  return quiet("Required", path, { title: "Required value", detail });
}

/** A value would be right elsewhere, but not here. */
export function forbidden(path: string, detail: string): Problem {
  return quiet("Forbidden", path, { title: "Forbidden", detail });
}

function quiet(type: ProblemType, path: string, { title, detail }: { title: string; detail: string }): Problem {
  return { path, type, detail, message: `${title}: ${detail}` };
}

/** The path of an entry of a map: `spec.redis.config[maxmemory]`. Keys that could be mistaken are quoted. */
export function at(path: string, key: string): string {
  return `${path}[${/^[\w./-]{1,253}$/.test(key) ? key : quoted(key)}]`;
}

/**
 * All problems in one text, the same that the webhook answers with; empty when there are none.
 *
 * @example
 * describeProblems([invalid("spec.a", 0, "must be more")]); // "spec.a: Invalid value: 0: must be more"
 */
export function describeProblems(problems: readonly Problem[]): string {
  return cutText(listed(problems.map(formatProblem)), textLengthMax);
}

/** Several texts as one, as API servers print them. */
export function listed(texts: readonly string[]): string {
  return texts.length === 1 ? (texts[0] ?? "") : texts.length === 0 ? "" : `[${texts.join(", ")}]`;
}

function shown(value: unknown): string {
  return typeof value === "string" ? quoted(value) : quoted(JSON.stringify(value) ?? "null").slice(1, -1);
}

/** A text in quotes, with everything escaped that a terminal could act on. */
function quoted(text: string): string {
  return JSON.stringify(cutText(text, shownMax)).replaceAll(
    /[\u007F-\u009F\u2028\u2029\u200B-\u200F\u202A-\u202E]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
