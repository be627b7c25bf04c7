import { createHash } from "node:crypto";
import { CertificateError } from "@homeostat/x509";
import { extraKeys, type User } from "./user.ts";

/** Object identifiers as their bytes in hexadecimal digits. */
const attributes = {
  commonName: "550403",
  organization: "55040a",
  /** 1.3.6.1.4.1.57683.2, Kubernetes' own: the uid of a user. */
  uid: "2b0601040183c25302",
} as const;

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

/** One attribute of a name: its type as hexadecimal digits, and its text. */
interface NamePart {
  readonly type: string;
  readonly text: string;
}

function readSubject(certificate: Uint8Array): NamePart[] {
  const [whole] = valuesOf(certificate);
  const [signed] = valuesOf(whole?.content);
  const fields = valuesOf(signed?.content);
  // Version, in a tag of its own, may be missing; then serial number, algorithm, issuer and validity.
  const subject = fields[fields[0]?.tag === 0xa0 ? 5 : 4];
  if (subject?.tag !== 0x30) throw malformed();
  return valuesOf(subject.content)
    .flatMap((set) => valuesOf(set.content))
    .map((attribute) => {
      const [type, value] = valuesOf(attribute.content);
      if (type === undefined || value === undefined) throw malformed();
      return { type: Buffer.from(type.content).toString("hex"), text: textOf(value) };
    });
}

interface Value {
  readonly tag: number;
  readonly content: Uint8Array;
}

function textOf({ tag, content }: Value): string {
  const bytes = Buffer.from(content);
  // 0x1e is text of two bytes a character, the greater first; the other kinds in use are ASCII or UTF-8.
  if (tag !== 0x1e) return bytes.toString(tag === 0x14 ? "latin1" : "utf8");
  if (bytes.length % 2 !== 0) throw malformed();
  return bytes.swap16().toString("utf16le");
}

/** The values that stand one after the other in some bytes. */
function valuesOf(bytes: Uint8Array | undefined): Value[] {
  if (bytes === undefined) throw malformed();
  const values: Value[] = [];
  for (let at = 0; at < bytes.length;) {
    const tag = bytes[at] ?? 0;
    const first = bytes[at + 1] ?? 0x80;
    let start = at + 2;
    let length = first;
    if (first >= 0x80) {
      const count = first & 0x7f;
      if (count === 0 || count > 4) throw malformed();
      length = 0;
      for (const end = start + count; start < end; start += 1) length = length * 256 + (bytes[start] ?? 0);
    }
    at = start + length;
    if (at > bytes.length) throw malformed();
    values.push({ tag, content: bytes.subarray(start, at) });
  }
  return values;
}

function malformed(): CertificateError {
  return new CertificateError("The bytes are no certificate. Send the one that the connection was verified with.");
}
