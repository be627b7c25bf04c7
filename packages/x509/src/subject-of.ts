import { CertificateError } from "./errors.ts";

/**
 * The name of a certificate's holder, as the bytes that stand in it.
 *
 * An issuer's name has to stand byte for byte in what it signs, and Node gives it as text only, which cannot be turned
 * back for certain.
 */
export function subjectOf(certificate: Uint8Array): Uint8Array {
  const signed = open(certificate, 0).content;
  const fields = open(signed, 0).content;
  let offset = 0;
  // Version, in a tag of its own, may be missing; then serial number, algorithm, issuer and validity.
  if (fields[0] === 0xa0) offset = open(fields, offset).end;
  for (let skip = 0; skip < 4; skip += 1) offset = open(fields, offset).end;
  return fields.subarray(offset, open(fields, offset).end);
}

/** What one value holds, and where it ends. */
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
  return new CertificateError("The bytes are no certificate. Make it again.");
}
