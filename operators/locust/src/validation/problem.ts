import { cutText } from "@homeostat/core";

/** The rules that a test can break, by the names they have in the documentation. */
export type Rule =
  | "N1"
  | "N2"
  | "N3"
  | "S1"
  | "S2"
  | "V1"
  | "V2"
  | "V3"
  | "V4"
  | "V5"
  | "V6"
  | "O1"
  | "C1"
  | "C2"
  | "R1"
  | "T1";

/** Something that keeps a test from being run. */
export interface TestProblem {
  readonly rule: Rule;
  /** The field, as users write it: `spec.volumes[0].name`. */
  readonly path: string;
  readonly message: string;
}

/** Something that a user may not have meant. */
export interface TestWarning {
  readonly path: string;
  readonly message: string;
}

/** How much of a user's own text is repeated in a message. */
const shownMax = 256;

/** As much of a text as a message repeats, in quotes. Control characters are escaped. */
export function quoted(text: string): string {
  return JSON.stringify(cutText(text, shownMax));
}

// As many as the webhook tells, and as long as its messages get.
const problemsMax = 100;
const messageLengthMax = 1024;
const textLengthMax = 4096;

/**
 * All problems in one text, the same that the webhook answers with.
 *
 * Empty when there are none.
 */
export function describeProblems(problems: readonly TestProblem[]): string {
  const all = problems.slice(0, problemsMax).map((problem) => {
    const { field, message } = asFinding(problem);
    const shown = cutText(message, messageLengthMax);
    return field === undefined ? shown : `${field}: ${shown}`;
  });
  return cutText(all.join("; "), textLengthMax);
}

/** A problem as the webhook tells it. A message that begins with its field does not name it twice. */
export function asFinding({ path, message }: TestProblem): { readonly field?: string; readonly message: string } {
  return message.startsWith(path) ? { message } : { field: path, message };
}
