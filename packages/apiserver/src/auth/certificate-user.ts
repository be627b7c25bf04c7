import { createHash } from "node:crypto";
import { CertificateError } from "@homeostat/x509";
import { derValues, nameAttributes as attributes, type NamePart, readName } from "./distinguished-name.ts";
import { extraKeys, type User } from "./user.ts";

/**
 * Returns the user of a client certificate: the common name is the user name, organizations are the groups.
 *
 * The TLS layer decides about trust: pass only DER bytes that it has verified. Returns undefined if there is no common
 * name, so that other credentials are tried.
 *
 * @throws CertificateError if the bytes are not a certificate, or if it has several UIDs or an empty one.
 */
export function userOfCertificate(certificate: Uint8Array): User | undefined {
  const subject = readSubject(certificate);
  // The last of several common names wins, as in the real server.
  const name = subject.findLast(({ type }) => type === attributes.commonName)?.text ?? "";
  if (name === "") return undefined;
  const uids = subject.filter(({ type }) => type === attributes.uid);
  if (uids.length > 1 || uids[0]?.text === "") {
    throw new CertificateError("The certificate has several UIDs or an empty one. Issue it with at most one UID.");
  }
  const digest = createHash("sha256").update(certificate).digest("hex");
  return {
    name,
    uid: uids[0]?.text ?? "",
    groups: subject.filter(({ type }) => type === attributes.organization).map(({ text }) => text),
    extra: { [extraKeys.credentialId]: [`X509SHA256=${digest}`] },
  };
}

/** The subject of a client certificate, as parsed by the TLS layer. */
export interface PeerSubject {
  /** True if the certificate was signed by a CA of the cluster. */
  readonly isTrusted: boolean;
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** SHA-256 as hexadecimal digits, with or without colons. */
  readonly fingerprint: string;
}

/** Returns the user of a certificate that the TLS layer has parsed. Its UID, if any, is not available. */
export function userOfPeer({ commonName, organizations, fingerprint }: PeerSubject): User | undefined {
  if (commonName === "") return undefined;
  const digest = fingerprint.replaceAll(":", "").toLowerCase();
  const extra = { [extraKeys.credentialId]: [`X509SHA256=${digest}`] };
  return { name: commonName, uid: "", groups: [...organizations], extra };
}

/** Returns the attributes of the subject of a certificate. */
function readSubject(certificate: Uint8Array): NamePart[] {
  const [whole] = derValues(certificate);
  const [signed] = derValues(whole?.content);
  const fields = derValues(signed?.content);
  // The version has its own tag and may be absent; serial number, algorithm, issuer and validity come before the
  // subject.
  return readName(fields[fields[0]?.tag === 0xa0 ? 5 : 4]);
}
