import type { Reason } from "../api/status.ts";
import type { ObservedCertificate } from "../observe/observed.ts";

const dayMs = 86_400_000;

/** Longest time before the expiry at which the operator warns. */
export const warnBeforeMs: number = 30 * dayMs;

/** The decision about a certificate. */
export interface CertificateDecision {
  readonly status: "True" | "False" | "Unknown";
  readonly reason: Reason<"CertificateValid">;
  readonly message: string;
  /** Time at which the decision changes; undefined for an expired certificate. */
  readonly changesAt: number | undefined;
}

/**
 * Decides whether a certificate is valid. `undefined` means that it cannot be read, `"missing"` that it does not exist yet. Warns 30 days before the
 * expiry, or in the last third of a shorter lifetime: certificates with a lifetime of one day are renewed every few hours, so a permanent warning
 * would be meaningless.
 */
export function decideCertificate(
  certificate: ObservedCertificate | "missing" | undefined,
  now: number,
): CertificateDecision {
  // The condition PrerequisitesMet reports the missing Secret.
  if (certificate === "missing")
    return { status: "Unknown", reason: "SecretMissing", message: "the Secret is missing", changesAt: undefined };
  if (certificate === undefined)
    return { status: "False", reason: "Unreadable", message: "the certificate cannot be read", changesAt: undefined };
  const { secret, notBefore, notAfter } = certificate;
  const at = (time: number): string => new Date(time).toISOString();
  if (now >= notAfter) {
    const message = `the certificate in Secret ${secret} expired at ${at(notAfter)}`;
    return { status: "False", reason: "Expired", message, changesAt: undefined };
  }
  if (now < notBefore) {
    const message = `the certificate in Secret ${secret} is valid from ${at(notBefore)}`;
    return { status: "False", reason: "NotYetValid", message, changesAt: notBefore };
  }
  const warnAt = notAfter - Math.min(warnBeforeMs, (notAfter - notBefore) / 3);
  const isSoon = now >= warnAt;
  return {
    status: "True",
    reason: isSoon ? "ExpiresSoon" : "Valid",
    message: `the certificate in Secret ${secret} expires at ${at(notAfter)}`,
    changesAt: isSoon ? notAfter : warnAt,
  };
}
