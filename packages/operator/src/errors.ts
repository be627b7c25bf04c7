import { HomeostatError } from "@homeostat/core";

/** One thing that is wrong with the definition of an operator, and where. */
export interface OperatorProblem {
  /** The place in the definition: `webhooks[0]`, `controllers[1].name`. */
  readonly path: string;
  /** What is wrong there, and what to do about it. */
  readonly message: string;
}

/** Thrown when an operator is defined in a way that could not run or could not be installed. Lists everything at once. */
export class OperatorDefinitionError extends HomeostatError {
  readonly code = "OPERATOR_DEFINITION";
  readonly problems: readonly OperatorProblem[];

  constructor(name: string, problems: readonly OperatorProblem[]) {
    const list = problems.map(({ path, message }) => `\n  ${path} ${message}`).join("");
    const these = problems.length === 1 ? "this" : "these";
    super(`The operator ${JSON.stringify(name)} is defined wrongly. Correct ${these} and start again:${list}`);
    this.problems = problems;
  }
}

/** An environment variable that a program cannot start with. */
export interface ConfigurationProblem {
  readonly variable: string;
  /** The value and what is wrong with it. */
  readonly message: string;
}

/** Thrown when a program cannot start with its environment variables. Lists all of them. */
export class ConfigurationError extends HomeostatError {
  readonly code = "OPERATOR_CONFIGURATION";
  readonly problems: readonly ConfigurationProblem[];

  constructor(problems: readonly ConfigurationProblem[]) {
    const list = problems.map(({ variable, message }) => `${variable}: ${message}`).join("; ");
    super(
      `invalid operator configuration: resource validation failed: ${list}. Correct these variables and start again.`,
    );
    this.problems = problems;
  }
}

/** Thrown when a part of an operator asks for what its `setup` makes, and no manager has called that. */
export class NotRunningError extends HomeostatError {
  readonly code = "NOT_RUNNING";

  constructor(operator: string) {
    super(
      `What the setup of ${operator} returns exists only in a manager. Call provided() at run time: in a reconciler, a webhook or a service.`,
    );
  }
}

/** Thrown for a command line or an environment that cannot be understood. Lists everything wrong with it at once. */
export class UsageError extends HomeostatError {
  readonly code = "USAGE";
  /** One sentence for each thing that is wrong. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`${problems.join("\n")}\nRun with --help to see what there is.`);
    this.problems = problems;
  }
}

/** Thrown when a certificate that somebody else makes was not there in time. */
export class CertificateWaitError extends HomeostatError {
  readonly code = "CERTIFICATE_WAIT";

  constructor(
    {
      folder,
      certName,
      keyName,
      purpose,
      waitMs,
    }: {
      readonly folder: string;
      readonly certName: string;
      readonly keyName: string;
      readonly purpose: string;
      readonly waitMs: number;
    },
    options?: ErrorOptions,
  ) {
    super(
      `No certificate for ${purpose} within ${waitMs / 1000} s: ${certName} and ${keyName} in ${folder} are missing or do ` +
        "not fit. Look whether what makes them has done so: kubectl describe certificates --all-namespaces.",
      options,
    );
  }
}
