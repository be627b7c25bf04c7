import { failure, type CelFailure } from "../failure.ts";
import { Malformed } from "./malformed.ts";

/** Returns the result of a parser, or a failure with the problem of a malformed string. */
export function orFailure<T>(result: T | Malformed): T | CelFailure {
  return result instanceof Malformed ? failure(result.problem) : result;
}
