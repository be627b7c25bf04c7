import { HomeostatError } from "@homeostat/core";

/** Thrown when a certificate or key cannot be parsed, issued or used. The message names the problem and the remedy. */
export class CertificateError extends HomeostatError {
  readonly code = "CERTIFICATE";
}
