import { Refusal } from "../auth/refusal.ts";
import { StatusError } from "../status/status.ts";

/**
 * Returns the result of a function that returns refusals as values, or throws the refusal as a `StatusError`.
 *
 * Authentication and authorization return refusals; the request pipeline expects them to be thrown.
 */
export function resultOrThrow<T>(result: T | Refusal): T {
  if (result instanceof Refusal) throw new StatusError(result.status);
  return result;
}
