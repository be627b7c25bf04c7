import { HomeostatError } from "@homeostat/core";

/** A problem of a kubeconfig. */
export interface KubeconfigFault {
  /** The file, or a description of another source. */
  readonly file: string;
  /** The path of the field: `users[name=dev].user.exec.command`. */
  readonly field?: string;
  /** The problem, without a full stop. */
  readonly problem: string;
  /** The remedy, as a sentence. */
  readonly remedy: string;
}

/** Thrown when a kubeconfig is invalid or incomplete. The message names the file, the field and the remedy. */
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
