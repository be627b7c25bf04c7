import { HomeostatError } from "./error.ts";

/** What a {@link ParseError} is made of. */
export interface ParseFailure {
  /** What was being read, as its reader would call it: `"label selector"`, `"quantity"`. */
  readonly what: string;
  /** The text that could not be read. Kept whole on the error, shortened in the message. */
  readonly input: string;
  /** Where it went wrong: an offset into `input` in UTF-16 code units. */
  readonly offset: number;
  /** What is wrong there and what would be right, without a full stop. */
  readonly problem: string;
}

const shownMax = 64;

/**
 * Thrown when a text is not what it should be: a selector, a quantity, a duration, a pointer, an expression.
 *
 * The message names the text, the place and the remedy. Malformed input never succeeds later, so it is not retryable.
 */
export class ParseError extends HomeostatError {
  readonly code = "PARSE";
  readonly what: string;
  readonly input: string;
  readonly offset: number;
  readonly problem: string;

  constructor({ what, input, offset, problem }: ParseFailure, options?: ErrorOptions) {
    super(`${what} ${excerpt(input, offset)}: ${problem} (at position ${offset})`, options);
    this.what = what;
    this.input = input;
    this.offset = offset;
    this.problem = problem;
  }
}

/** The input quoted, cut around the place where it went wrong when it is long. */
function excerpt(input: string, offset: number): string {
  if (input.length <= shownMax) return JSON.stringify(input);
  const start = Math.max(0, Math.min(offset - shownMax / 2, input.length - shownMax));
  const end = start + shownMax;
  return `${start > 0 ? "…" : ""}${JSON.stringify(input.slice(start, end))}${end < input.length ? "…" : ""}`;
}
