import { HomeostatError } from "./error.ts";

/** The input of a {@link ParseError}. */
export interface ParseFailure {
  /** The kind of text: `"label selector"`, `"quantity"`. */
  readonly what: string;
  /** The text that could not be parsed. Complete in the error, shortened in its message. */
  readonly input: string;
  /** The position of the problem: an offset into `input` in UTF-16 code units. */
  readonly offset: number;
  /** The problem and what was expected, without a full stop. */
  readonly problem: string;
}

const shownMax = 64;

/**
 * Thrown when a text cannot be parsed: a selector, a quantity, a duration, a pointer, an expression.
 *
 * The message contains the text, the position and the remedy. Not retryable: malformed input stays malformed.
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

/** Returns the quoted input; of a long one, the part around the problem. */
function excerpt(input: string, offset: number): string {
  if (input.length <= shownMax) return JSON.stringify(input);
  const start = Math.max(0, Math.min(offset - shownMax / 2, input.length - shownMax));
  const end = start + shownMax;
  return `${start > 0 ? "…" : ""}${JSON.stringify(input.slice(start, end))}${end < input.length ? "…" : ""}`;
}
