import { ArgumentError } from "@homeostat/core";
import { normalHost } from "@homeostat/x509";

/** How long certificates live and for whom they are. Times are in milliseconds. */
export interface CertificatePolicy {
  /** The names by which API servers reach the webhook: `my-webhook.my-namespace.svc`. */
  readonly hosts: readonly string[];
  /** Stands in the certificates for people to read. Default `homeostat-webhook`. */
  readonly commonName?: string;
  /** Default one year. */
  readonly authorityLifeMs?: number;
  /** Default 90 days. */
  readonly servingLifeMs?: number;
  /**
   * How long an authority has to be published before anything signed by it is served. API servers follow a change of
   * the bundle within seconds; this has to cover the slowest of them. Default 5 minutes.
   */
  readonly propagationMs?: number;
  /** How far certificates begin in the past, for clocks that disagree. Default 5 minutes. */
  readonly backdateMs?: number;
}

/** A policy with everything said. */
export type FullPolicy = Required<CertificatePolicy>;

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Fills in what was left out. Throws an `ArgumentError` for one under which rotations could not keep up. */
export function fullPolicy(policy: CertificatePolicy): FullPolicy {
  const full = {
    commonName: "homeostat-webhook",
    authorityLifeMs: 365 * dayMs,
    servingLifeMs: 90 * dayMs,
    propagationMs: 5 * minuteMs,
    backdateMs: 5 * minuteMs,
    ...policy,
    hosts: policy.hosts.map(normalHost),
  };
  if (full.hosts.length === 0) throw new ArgumentError({ argument: "hosts", problem: "is empty; name at least one." });
  if (full.servingLifeMs > full.authorityLifeMs) {
    throw new ArgumentError({ argument: "servingLifeMs", problem: "is longer than the life of the authority." });
  }
  // The last third of a life is all the time there is for publishing, waiting and switching.
  if (full.propagationMs * 3 > full.authorityLifeMs / 3) {
    throw new ArgumentError({ argument: "propagationMs", problem: "is more than a ninth of the authority's life." });
  }
  return full;
}

/** When two thirds of a life are over. */
export function renewAt({
  validFrom,
  validUntil,
}: {
  readonly validFrom: number;
  readonly validUntil: number;
}): number {
  return validFrom + ((validUntil - validFrom) * 2) / 3;
}
