import { HomeostatError } from "@homeostat/core";

/** One thing that is wrong with the configuration. */
export interface ConfigProblem {
  /** The environment variable. */
  readonly variable: string;
  readonly message: string;
}

/** Thrown when the operator cannot start with what it was set up with. It names everything that is wrong. */
export class ConfigurationError extends HomeostatError {
  readonly code = "LOCUST_CONFIGURATION";
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const list = problems.map(({ variable, message }) => `${variable}: ${message}`).join("; ");
    super(
      `invalid operator configuration: resource validation failed: ${list}. Correct these variables and start again.`,
    );
    this.problems = problems;
  }
}
