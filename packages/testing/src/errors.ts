import { HomeostatError } from "@homeostat/core";

/** Thrown when a condition was not met within the time limit. Its cause is the error of the last attempt. */
export class EventuallyTimeoutError extends HomeostatError {
  readonly code = "EVENTUALLY_TIMEOUT";
}

/** Thrown when an operator did not start, or had work left at the time limit. The message lists what it waits for. */
export class OperatorNotSettledError extends HomeostatError {
  readonly code = "OPERATOR_NOT_SETTLED";
}

/** Thrown when the cluster does not serve the kind of a manifest. */
export class UnknownManifestKindError extends HomeostatError {
  readonly code = "UNKNOWN_MANIFEST_KIND";
}
