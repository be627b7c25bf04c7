import { HomeostatError } from "@homeostat/core";

/** What is wrong with a kubeconfig, and where. */
export interface KubeconfigFault {
  /** The file it was read from, or another word for where it came from. */
  readonly file: string;
  /** The field, as a path a person can find: `users[name=dev].user.exec.command`. */
  readonly field?: string;
  /** What is wrong, without a full stop. */
  readonly problem: string;
  /** What to do about it, a sentence. */
  readonly remedy: string;
}

/** Thrown when a kubeconfig cannot be used. The message names the file, the field and the remedy. */
export class KubeconfigError extends HomeostatError {
  readonly code = "KUBECONFIG";
  readonly file: string;
  readonly field: string | undefined;

  constructor({ file, field, problem, remedy }: KubeconfigFault, options?: ErrorOptions) {
    super(`${file}${field === undefined ? "" : `: ${field}`}: ${problem}. ${remedy}`, options);
    this.file = file;
    this.field = field;
  }
}
