import { Refusal } from "../auth/refusal.ts";
import { StatusError } from "../status/status.ts";

/**
 * The answer of a function that gives refusals as values: the answer itself, or its refusal thrown as a `StatusError`.
 *
 * Within the pipeline a refusal is always thrown; this is where those of authentication and authorization become so.
 */
export function orThrow<T>(answer: T | Refusal): T {
  if (answer instanceof Refusal) throw new StatusError(answer.status);
  return answer;
}
