import { isList, isRecord, type JsonRecord, ownValue } from "@homeostat/core";
import { CertificateError, checkPair, isSignedBy, type KeyPair, readCertificate } from "@homeostat/x509";

/** A pair with what is needed to know when to replace it. Times are in milliseconds since 1970. */
export interface DatedPair extends KeyPair {
  readonly validFrom: number;
  readonly validUntil: number;
  readonly hosts: readonly string[];
}

/** An authority that signs no more, but what it has signed may still be in use. Its key is gone. */
export interface RetiredAuthority {
  readonly cert: string;
  /** When the last certificate it has signed ends. From then on nobody needs to trust it. */
  readonly retireAt: number;
}

/** What the Secret holds: the whole state of the rotation, shared by all replicas. */
export interface CertificateState {
  /** Signs. */
  readonly current: DatedPair;
  /** When the last certificate that `current` has signed ends. */
  readonly signedUntil: number;
  /** What every replica serves; missing when somebody has broken it. */
  readonly serving: DatedPair | undefined;
  /** A replica that has something valid to serve waits until then before it switches to `serving`. */
  readonly switchAt: number;
  /** Will sign once API servers know it. `publishedAt` is when it was first seen in all bundles. */
  readonly next: { readonly pair: DatedPair; readonly publishedAt: number | undefined } | undefined;
  readonly retired: readonly RetiredAuthority[];
}

/** Everything that must be trusted while a state holds, as PEM: the content of every `caBundle`. */
export function bundleOf({ current, next, retired }: CertificateState): string {
  return [current.cert, ...(next === undefined ? [] : [next.pair.cert]), ...retired.map(({ cert }) => cert)].join("");
}

/** A pair with its dates. Throws a `CertificateError` when the two do not belong together. */
export function datePair({ cert, key }: KeyPair): DatedPair {
  checkPair({ cert, key });
  const { validFrom, validUntil, hosts } = readCertificate(cert);
  return { cert, key, validFrom: validFrom.getTime(), validUntil: validUntil.getTime(), hosts };
}

/** The data of the Secret. `tls.crt`, `tls.key` and `ca.crt` have the names that other programs look for. */
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
 * Reads the data of the Secret; undefined when there is no authority to go on with.
 *
 * Somebody may have edited it, so each part is checked for itself and what is broken is left out: a lost serving
 * certificate is made again, a lost `next` begins again.
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

/** When an authority ends; undefined when the text is none. */
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
