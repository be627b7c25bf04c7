import { type KeyObject, X509Certificate, createPrivateKey } from "node:crypto";
import { CertificateError } from "./errors.ts";
import { normalHost } from "./address.ts";
import type { KeyPair } from "./issue.ts";

/** What a certificate says, as far as one has to know to serve and to renew it. */
export interface CertificateFacts {
  readonly validFrom: Date;
  readonly validUntil: Date;
  /** Whether it may sign others. */
  readonly isAuthority: boolean;
  /** Names it by its content: SHA-256 in hexadecimal digits. */
  readonly fingerprint: string;
  /** The names and addresses it is good for, each as `normalHost` writes it. */
  readonly hosts: readonly string[];
}

/** Reads the first certificate of a PEM text. Throws a {@link CertificateError} when there is none. */
export function readCertificate(pem: string): CertificateFacts {
  const cert = open(pem);
  return {
    validFrom: new Date(cert.validFrom),
    validUntil: new Date(cert.validTo),
    isAuthority: cert.ca,
    fingerprint: cert.fingerprint256.replaceAll(":", "").toLowerCase(),
    hosts: (cert.subjectAltName ?? "")
      .split(", ")
      .filter((host) => host !== "")
      .map((host) => normalHost(host.replace(/^(DNS|IP Address):/, ""))),
  };
}

/** Checks that a certificate and a key can be read and belong together. Throws a {@link CertificateError} if not. */
export function checkPair(pair: KeyPair): void {
  openPair(pair);
}

/** Whether a certificate was signed by an authority, whenever that was. Throws a {@link CertificateError} on bad PEM. */
export function isSignedBy(cert: string, authority: string): boolean {
  const signer = open(authority);
  const signed = open(cert);
  return signer.ca && signed.checkIssued(signer) && signed.verify(signer.publicKey);
}

/** The single certificates of a PEM text, in their order; whatever else stands in it is left out. */
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

/** A pair's certificate, after a look whether the key belongs to it. */
export function openPair({ cert, key }: KeyPair): X509Certificate {
  const certificate = open(cert);
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey(key);
  } catch (cause) {
    throw new CertificateError("The private key cannot be read. It has to be PEM without a password.", { cause });
  }
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new CertificateError("The private key belongs to another certificate. Both have to be replaced together.");
  }
  return certificate;
}

function open(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new CertificateError("The certificate cannot be read. It has to be PEM.", { cause });
  }
}
