import { Refusal } from "../auth/refusal.ts";
import { StatusError } from "../status/status.ts";

/**
 * Returns the result of a function that returns refusals as values, or throws the refusal as a `StatusError`.
 *
 * Authentication and authorization return refusals; the request pipeline expects them to be thrown.
 */
export function orThrow<T>(answer: T | Refusal): T {
  if (answer instanceof Refusal) throw new StatusError(answer.status);
  return answer;
}
