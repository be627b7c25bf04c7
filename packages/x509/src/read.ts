import { type KeyObject, X509Certificate, createPrivateKey } from "node:crypto";
import { CertificateError } from "./errors.ts";
import { normalizeHost } from "./address.ts";
import type { KeyPair } from "./issue.ts";

/** Properties of a certificate that are needed to serve and to renew it. */
export interface CertificateInfo {
  readonly validFrom: Date;
  readonly validUntil: Date;
  /** True for a CA certificate. */
  readonly isAuthority: boolean;
  /** SHA-256 fingerprint, hexadecimal. */
  readonly fingerprint: string;
  /** Host names and addresses of the certificate, normalized with `normalizeHost`. */
  readonly hosts: readonly string[];
}

/** Parses the first certificate of a PEM text. Throws a {@link CertificateError} if there is none. */
export function readCertificate(pem: string): CertificateInfo {
  const cert = open(pem);
  return {
    validFrom: new Date(cert.validFrom),
    validUntil: new Date(cert.validTo),
    isAuthority: cert.ca,
    fingerprint: cert.fingerprint256.replaceAll(":", "").toLowerCase(),
    hosts: (cert.subjectAltName ?? "")
      .split(", ")
      .filter((host) => host !== "")
      .map((host) => normalizeHost(host.replace(/^(DNS|IP Address):/, ""))),
  };
}

/** Checks that a certificate and a key can be parsed and match. Throws a {@link CertificateError} if not. */
export function checkPair(pair: KeyPair): void {
  openPair(pair);
}

/**
 * Reports whether an authority signed a certificate. Does not check dates. Throws a {@link CertificateError} for
 * invalid PEM.
 */
export function isSignedBy(cert: string, authority: string): boolean {
  const signer = open(authority);
  const signed = open(cert);
  return signer.ca && signed.checkIssued(signer) && signed.verify(signer.publicKey);
}

/** Splits a PEM text into its certificates, in order. Other content is dropped. */
export function splitCertificates(bundle: string): string[] {
  const begin = "-----BEGIN CERTIFICATE-----";
  const end = "-----END CERTIFICATE-----";
  return bundle
    .split(begin)
    .slice(1)
    .flatMap((part) => {
      const stop = part.indexOf(end);
      return stop === -1 ? [] : [`${begin}${part.slice(0, stop)}${end}\n`];
    });
}

/** Parses the certificate of a pair after checking that the key matches it. */
export function openPair({ cert, key }: KeyPair): X509Certificate {
  const certificate = open(cert);
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey(key);
  } catch (cause) {
    throw new CertificateError("The private key cannot be read. It must be PEM without a password.", { cause });
  }
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new CertificateError("The private key belongs to another certificate. Replace both together.");
  }
  return certificate;
}

function open(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new CertificateError("The certificate cannot be read. It must be PEM.", { cause });
  }
}
