import { failure, type CelFailure } from "../failure.ts";
import { PatternProblem, readPattern, type SearchPattern } from "./pattern.ts";

/**
 * Compiles a regular expression of a CEL expression. Returns a failure if it is invalid.
 *
 * Unlike the pattern of a schema it may have any length: the cost limit of the expression bounds it.
 */
export function celPattern(source: string): SearchPattern | CelFailure {
  const pattern = readPattern(source);
  return pattern instanceof PatternProblem ? failure(`error parsing regexp: ${pattern.problem}`) : pattern;
}
