import { HomeostatError } from "@homeostat/core";

/** Thrown when a command line cannot be understood. The message says which word, and what to write instead. */
export class UsageError extends HomeostatError {
  readonly code = "USAGE";
}
