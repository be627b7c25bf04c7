// A minimal DER parser (ITU-T X.690) for the names in certificates and PKCS#10 requests.

import { CertificateError } from "@homeostat/x509";

/** Attribute types of a name: object identifiers as hexadecimal digits. */
export const nameAttributes = {
  commonName: "550403",
  organization: "55040a",
  /** 1.3.6.1.4.1.57683.2, assigned by Kubernetes: the UID of a user. */
  uid: "2b0601040183c25302",
} as const;

/** An attribute of a name: its type as hexadecimal digits, and its text. */
export interface NamePart {
  readonly type: string;
  readonly text: string;
}

/** A DER value. */
export interface DerValue {
  readonly tag: number;
  readonly content: Uint8Array;
  /** Tag, length and content. */
  readonly bytes: Uint8Array;
}

/**
 * Parses the attributes of a name.
 *
 * @throws CertificateError if the value is not a name.
 */
export function readName(name: DerValue | undefined): NamePart[] {
  if (name?.tag !== 0x30) throw malformedDer();
  return derValues(name.content)
    .flatMap((set) => derValues(set.content))
    .map((attribute) => {
      const [type, value] = derValues(attribute.content);
      if (type === undefined || value === undefined) throw malformedDer();
      return { type: Buffer.from(type.content).toString("hex"), text: textOf(value) };
    });
}

function textOf({ tag, content }: DerValue): string {
  const bytes = Buffer.from(content);
  // 0x1e (BMPString) is UTF-16BE; the other string types in use are ASCII or UTF-8.
  if (tag !== 0x1e) return bytes.toString(tag === 0x14 ? "latin1" : "utf8");
  if (bytes.length % 2 !== 0) throw malformedDer();
  return bytes.swap16().toString("utf16le");
}

/**
 * Parses consecutive DER values.
 *
 * @throws CertificateError if the bytes are not DER.
 */
export function derValues(bytes: Uint8Array | undefined): DerValue[] {
  if (bytes === undefined) throw malformedDer();
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length;) {
    const begin = at;
    const tag = bytes[at] ?? 0;
    const first = bytes[at + 1] ?? 0x80;
    let start = at + 2;
    let length = first;
    if (first >= 0x80) {
      const count = first & 0x7f;
      if (count === 0 || count > 4) throw malformedDer();
      length = 0;
      for (const end = start + count; start < end; start += 1) length = length * 256 + (bytes[start] ?? 0);
    }
    at = start + length;
    if (at > bytes.length) throw malformedDer();
    values.push({ tag, content: bytes.subarray(start, at), bytes: bytes.subarray(begin, at) });
  }
  return values;
}

/** Returns the error for malformed DER. */
export function malformedDer(): CertificateError {
  return new CertificateError("The bytes are not a DER certificate. Pass the certificate that the TLS layer verified.");
}
