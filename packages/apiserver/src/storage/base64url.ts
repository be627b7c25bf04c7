const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Encodes bytes as unpadded base64url (RFC 4648, section 5), the encoding of Go's `base64.RawURLEncoding`. */
export function encodeBase64Url(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const three = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    const digits = Math.min(4, bytes.length - at + 1);
    for (let digit = 0; digit < digits; digit += 1) text += alphabet[(three >>> (18 - 6 * digit)) & 63] ?? "";
  }
  return text;
}

/**
 * Decodes unpadded base64url.
 *
 * Returns the index at which Go's decoder reports the error if the text is invalid, because the API server puts that
 * index into its message. Like Go, ignores line breaks.
 */
export function decodeBase64Url(text: string): { readonly bytes: Uint8Array } | { readonly badIndex: number } {
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let length = 0;
  let bits = 0;
  let bitCount = 0;
  let digits = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charAt(at);
    if (unit === "\n" || unit === "\r") continue;
    const value = alphabet.indexOf(unit);
    if (value < 0) return { badIndex: at };
    bits = ((bits << 6) | value) & 0xffff;
    bitCount += 6;
    digits += 1;
    if (bitCount < 8) continue;
    bitCount -= 8;
    bytes[length] = (bits >>> bitCount) & 0xff;
    length += 1;
  }
  // A single trailing digit has six bits, too few for a byte.
  if (digits % 4 === 1) return { badIndex: text.length - 1 };
  return { bytes: bytes.subarray(0, length) };
}
