import { HomeostatError } from "@homeostat/core";

/**
 * Thrown if a body is malformed: not JSON, not protobuf, or with a value of the wrong type.
 *
 * The message is that of a Kubernetes API server, ready for a `Status`.
 */
export class DecodeError extends HomeostatError {
  readonly code = "DECODE";
}
