import { createHash } from "node:crypto";
import { CertificateError } from "@homeostat/x509";
import { derValues, nameAttributes as attributes, type NamePart, readName } from "./distinguished-name.ts";
import { extraKeys, type User } from "./user.ts";

/**
 * The user that a client certificate names: the common name is the user, organizations are the groups.
 *
 * Whether to trust the certificate is the question of the TLS layer; pass only what it has verified, as DER bytes. Undefined
 * when it has no common name, so that other credentials count. Throws a `CertificateError` for bytes that are none, and for a
 * certificate with more than one uid or an empty one.
 */
export function userOfCertificate(certificate: Uint8Array): User | undefined {
  const subject = readSubject(certificate);
  // As in the real server the last of several common names counts.
  const name = subject.findLast(({ type }) => type === attributes.commonName)?.text ?? "";
  if (name === "") return undefined;
  const uids = subject.filter(({ type }) => type === attributes.uid);
  if (uids.length > 1 || uids[0]?.text === "") {
    throw new CertificateError("The certificate has more than one uid, or an empty one. Make it with one uid or none.");
  }
  const digest = createHash("sha256").update(certificate).digest("hex");
  return {
    name,
    uid: uids[0]?.text ?? "",
    groups: subject.filter(({ type }) => type === attributes.organization).map(({ text }) => text),
    extra: { [extraKeys.credentialId]: [`X509SHA256=${digest}`] },
  };
}

/** What a connection tells of the certificate that a client showed. */
export interface PeerSubject {
  /** Whether an authority of the cluster vouches for it. */
  readonly isTrusted: boolean;
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** SHA-256, hexadecimal digits with or without colons. */
  readonly fingerprint: string;
}

/** The same for a certificate that the connection has read already. A uid in it is not known then. */
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
  // The version, in a tag of its own, may be absent; serial number, algorithm, issuer and validity follow.
  return readName(fields[fields[0]?.tag === 0xa0 ? 5 : 4]);
}
