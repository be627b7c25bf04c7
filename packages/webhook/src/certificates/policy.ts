import { ArgumentError } from "@homeostat/core";
import { normalizeHost } from "@homeostat/x509";

/** Lifetimes and hosts of certificates. Times are in milliseconds. */
export interface CertificatePolicy {
  /** Host names by which API servers reach the webhook: `my-webhook.my-namespace.svc`. */
  readonly hosts: readonly string[];
  /** Common name of the certificates, for humans. Default `homeostat-webhook`. */
  readonly commonName?: string;
  /** Lifetime of the CA. Default one year. */
  readonly authorityLifeMs?: number;
  /** Lifetime of a serving certificate. Default 90 days. */
  readonly servingLifeMs?: number;
  /**
   * Time for which a CA must be in all bundles before a certificate signed by it is served. API servers notice a change
   * of the bundle within seconds; this must cover the slowest of them. Default 5 minutes.
   */
  readonly propagationMs?: number;
  /** Time by which the validity starts in the past, for clocks that disagree. Default 5 minutes. */
  readonly backdateMs?: number;
}

/** A policy with all defaults applied. */
export type FullPolicy = Required<CertificatePolicy>;

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Applies the defaults. Throws an `ArgumentError` for a policy under which rotations cannot finish in time. */
export function fullPolicy(policy: CertificatePolicy): FullPolicy {
  const full = {
    commonName: "homeostat-webhook",
    authorityLifeMs: 365 * dayMs,
    servingLifeMs: 90 * dayMs,
    propagationMs: 5 * minuteMs,
    backdateMs: 5 * minuteMs,
    ...policy,
    hosts: policy.hosts.map(normalizeHost),
  };
  if (full.hosts.length === 0)
    throw new ArgumentError({ argument: "hosts", problem: "is empty; pass at least one host." });
  if (full.servingLifeMs > full.authorityLifeMs) {
    throw new ArgumentError({ argument: "servingLifeMs", problem: "is longer than authorityLifeMs." });
  }
  // Publishing, waiting and switching must fit into the last third of the CA's lifetime.
  if (full.propagationMs * 3 > full.authorityLifeMs / 3) {
    throw new ArgumentError({ argument: "propagationMs", problem: "is more than a ninth of authorityLifeMs." });
  }
  return full;
}

/** Returns the time at which two thirds of a lifetime are over. */
export function renewAt({
  validFrom,
  validUntil,
}: {
  readonly validFrom: number;
  readonly validUntil: number;
}): number {
  return validFrom + ((validUntil - validFrom) * 2) / 3;
}
