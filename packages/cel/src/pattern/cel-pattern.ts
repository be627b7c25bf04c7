import { failure, type CelFailure } from "../failure.ts";
import { PatternProblem, readPattern, type SearchPattern } from "./pattern.ts";

/**
 * A regular expression in an expression, compiled, or the failure that names its mistake.
 *
 * Unlike the pattern of a schema it may have any length: it is paid for by the cost of the expression.
 */
export function celPattern(source: string): SearchPattern | CelFailure {
  const pattern = readPattern(source);
  return pattern instanceof PatternProblem ? failure(`error parsing regexp: ${pattern.problem}`) : pattern;
}
