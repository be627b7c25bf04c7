import { HomeostatError } from "@homeostat/core";

/** Thrown when a certificate or a key cannot be read, made or used; the message says which and why. */
export class CertificateError extends HomeostatError {
  readonly code = "CERTIFICATE";
}
