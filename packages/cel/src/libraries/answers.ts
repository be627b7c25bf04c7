import { failure, type CelFailure } from "../failure.ts";
import { Malformed } from "./malformed.ts";

/** What a function answers: the result, or the failure with the problem of a malformed text. */
export function orFailure<T>(result: T | Malformed): T | CelFailure {
  return result instanceof Malformed ? failure(result.problem) : result;
}
