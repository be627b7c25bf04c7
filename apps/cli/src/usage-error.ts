import { HomeostatError } from "@homeostat/core";

/** Thrown for an invalid command line. The message names the argument and the accepted values. */
export class UsageError extends HomeostatError {
  readonly code = "USAGE";
}
