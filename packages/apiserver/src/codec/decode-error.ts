import { HomeostatError } from "@homeostat/core";

/**
 * Thrown when a body is not what it should be: no JSON, no protobuf, or a value of another type than its field.
 *
 * The message is the reason in the words of a Kubernetes API server, ready to be put into a `Status`.
 */
export class DecodeError extends HomeostatError {
  readonly code = "DECODE";
}
