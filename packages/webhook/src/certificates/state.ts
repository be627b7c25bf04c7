import { isList, isRecord, type JsonRecord, ownValue } from "@homeostat/core";
import { CertificateError, checkPair, isSignedBy, type KeyPair, readCertificate } from "@homeostat/x509";

/** A certificate and key with what is needed to decide on renewal. Times are in milliseconds since 1970. */
export interface DatedPair extends KeyPair {
  readonly validFrom: number;
  readonly validUntil: number;
  readonly hosts: readonly string[];
}

/** A CA that signs no more, but whose certificates may still be in use. Its key was discarded. */
export interface RetiredAuthority {
  readonly cert: string;
  /** Expiry of the last certificate it has signed. After that it need not be trusted any more. */
  readonly retireAt: number;
}

/** Content of the Secret: the complete state of the rotation, shared by all replicas. */
export interface CertificateState {
  /** CA that signs serving certificates. */
  readonly current: DatedPair;
  /** Expiry of the last certificate that `current` has signed. */
  readonly signedUntil: number;
  /** Serving certificate of all replicas; undefined if it is missing or broken in the Secret. */
  readonly serving: DatedPair | undefined;
  /** Time until which a replica with a valid certificate waits before it switches to `serving`. */
  readonly switchAt: number;
  /** CA that will sign once API servers trust it. `publishedAt` is the time when it was first seen in all bundles. */
  readonly next: { readonly pair: DatedPair; readonly publishedAt: number | undefined } | undefined;
  readonly retired: readonly RetiredAuthority[];
}

/** Returns all CAs that must be trusted in a state, PEM: the content of every `caBundle`. */
export function bundleOf({ current, next, retired }: CertificateState): string {
  return [current.cert, ...(next === undefined ? [] : [next.pair.cert]), ...retired.map(({ cert }) => cert)].join("");
}

/** Returns a pair with its dates. Throws a `CertificateError` if certificate and key do not match. */
export function datePair({ cert, key }: KeyPair): DatedPair {
  checkPair({ cert, key });
  const { validFrom, validUntil, hosts } = readCertificate(cert);
  return { cert, key, validFrom: validFrom.getTime(), validUntil: validUntil.getTime(), hosts };
}

/** Returns the data of the Secret. `tls.crt`, `tls.key` and `ca.crt` are the conventional names of TLS Secrets. */
export function formatState(state: CertificateState): Record<string, string> {
  const { current, signedUntil, serving, switchAt, next, retired } = state;
  const pair = ({ cert, key }: KeyPair): KeyPair => ({ cert, key });
  const rotation = {
    current: pair(current),
    signedUntil,
    switchAt,
    ...(next !== undefined && { next: { ...pair(next.pair), publishedAt: next.publishedAt } }),
    retired,
  };
  return {
    "tls.crt": serving?.cert ?? "",
    "tls.key": serving?.key ?? "",
    "ca.crt": bundleOf(state),
    "rotation.json": JSON.stringify(rotation),
  };
}

/**
 * Parses the data of the Secret; undefined if it contains no usable CA.
 *
 * A user may have edited the Secret, so each part is validated on its own and invalid parts are dropped: a lost serving
 * certificate is issued again, a lost `next` is introduced again.
 */
export function parseState(data: Readonly<Record<string, string>>): CertificateState | undefined {
  const rotation = parseRecord(data["rotation.json"]);
  const current = parseAuthority(ownValue(rotation, "current"));
  if (current === undefined) return undefined;
  const serving = tryPair(data["tls.crt"], data["tls.key"]);
  const next = ownValue(rotation, "next");
  const pair = parseAuthority(next);
  const publishedAt = isRecord(next) ? time(ownValue(next, "publishedAt")) : undefined;
  const retired = ownValue(rotation, "retired");
  return {
    current,
    signedUntil: time(ownValue(rotation, "signedUntil")) ?? current.validUntil,
    serving: serving !== undefined && isSignedBy(serving.cert, current.cert) ? serving : undefined,
    switchAt: time(ownValue(rotation, "switchAt")) ?? 0,
    next: pair === undefined ? undefined : { pair, publishedAt },
    retired: isList(retired) ? retired.flatMap(parseRetired) : [],
  };
}

function parseRecord(text: string | undefined): JsonRecord {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function parseAuthority(value: unknown): DatedPair | undefined {
  if (!isRecord(value)) return undefined;
  const pair = tryPair(ownValue(value, "cert"), ownValue(value, "key"));
  return pair !== undefined && readCertificate(pair.cert).isAuthority ? pair : undefined;
}

function parseRetired(value: unknown): RetiredAuthority[] {
  const cert = isRecord(value) ? ownValue(value, "cert") : undefined;
  const retireAt = isRecord(value) ? time(ownValue(value, "retireAt")) : undefined;
  if (typeof cert !== "string" || retireAt === undefined) return [];
  return authorityEnd(cert) === undefined ? [] : [{ cert, retireAt }];
}

/** Returns the expiry of a CA certificate; undefined if the text is not one. */
export function authorityEnd(cert: string): number | undefined {
  try {
    const { isAuthority, validUntil } = readCertificate(cert);
    return isAuthority ? validUntil.getTime() : undefined;
  } catch (error) {
    if (error instanceof CertificateError) return undefined;
    throw error;
  }
}

function tryPair(cert: unknown, key: unknown): DatedPair | undefined {
  if (typeof cert !== "string" || typeof key !== "string") return undefined;
  try {
    return datePair({ cert, key });
  } catch (error) {
    if (error instanceof CertificateError) return undefined;
    throw error;
  }
}

function time(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
