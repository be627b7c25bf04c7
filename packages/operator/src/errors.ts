import { HomeostatError } from "@homeostat/core";

/** A problem in the definition of an operator. */
export interface OperatorProblem {
  /** The path in the definition: `webhooks[0]`, `controllers[1].name`. */
  readonly path: string;
  /** The problem and how to fix it. */
  readonly message: string;
}

/** Thrown by `defineOperator` for a definition that could not run or be installed. Lists all problems. */
export class OperatorDefinitionError extends HomeostatError {
  readonly code = "OPERATOR_DEFINITION";
  readonly problems: readonly OperatorProblem[];

  constructor(name: string, problems: readonly OperatorProblem[]) {
    const list = problems.map(({ path, message }) => `\n  ${path} ${message}`).join("");
    super(`invalid definition of operator ${JSON.stringify(name)}. Correct the following and restart:${list}`);
    this.problems = problems;
  }
}

/** An environment variable with a value that the program cannot start with. */
export interface ConfigurationProblem {
  readonly variable: string;
  /** The value and the problem with it. */
  readonly message: string;
}

/** Thrown when environment variables are invalid and have no usable default. Lists all of them. */
export class ConfigurationError extends HomeostatError {
  readonly code = "OPERATOR_CONFIGURATION";
  readonly problems: readonly ConfigurationProblem[];

  constructor(problems: readonly ConfigurationProblem[]) {
    const list = problems.map(({ variable, message }) => `${variable}: ${message}`).join("; ");
    super(`invalid operator configuration: resource validation failed: ${list}. Correct these variables and restart.`);
    this.problems = problems;
  }
}

/** Thrown by `provided()` when it is called before a manager ran the operator's `setup`. */
export class NotRunningError extends HomeostatError {
  readonly code = "NOT_RUNNING";

  constructor(operator: string) {
    super(
      `provided() of operator ${operator} was called before a manager ran its setup. Call it in a reconciler, a webhook or a service, not while the operator is being defined.`,
    );
  }
}

/** Thrown when an externally issued certificate did not appear within the configured wait time. */
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
      `timed out after ${waitMs / 1000} s waiting for the certificate of ${purpose}: ${certName} or ${keyName} in ${folder} is missing ` +
        "or invalid. Check that cert-manager or another issuer has written them: kubectl describe certificates --all-namespaces.",
      options,
    );
  }
}
