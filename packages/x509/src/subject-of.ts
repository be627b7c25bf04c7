import { CertificateError } from "./errors.ts";

/**
 * Returns the DER-encoded subject of a certificate.
 *
 * The issuer field of a signed certificate must equal the subject of its signer byte for byte. Node only provides the
 * subject as text, which cannot be converted back reliably.
 */
export function subjectOf(certificate: Uint8Array): Uint8Array {
  const signed = open(certificate, 0).content;
  const fields = open(signed, 0).content;
  let offset = 0;
  // The version has a tag of its own and may be missing. Serial number, algorithm, issuer and validity follow.
  if (fields[0] === 0xa0) offset = open(fields, offset).end;
  for (let skip = 0; skip < 4; skip += 1) offset = open(fields, offset).end;
  return fields.subarray(offset, open(fields, offset).end);
}

/** Returns the content of the value at an offset, and the offset after it. */
function open(bytes: Uint8Array, offset: number): { content: Uint8Array; end: number } {
  const first = bytes[offset + 1];
  if (first === undefined) throw malformed();
  let length = first;
  let start = offset + 2;
  if (first >= 0x80) {
    const count = first & 0x7f;
    if (count === 0 || count > 4) throw malformed();
    length = 0;
    for (const end = start + count; start < end; start += 1) length = length * 256 + (bytes[start] ?? 0);
  }
  const end = start + length;
  if (end > bytes.length) throw malformed();
  return { content: bytes.subarray(start, end), end };
}

function malformed(): CertificateError {
  return new CertificateError("The bytes are not a valid certificate. Issue it again.");
}
