/** Character codes of HTTP/1.1 messages. Messages are latin1 texts, so a code is a byte. */
export const code = {
  tab: 0x09,
  lf: 0x0a,
  cr: 0x0d,
  space: 0x20,
  quote: 0x22,
  colon: 0x3a,
  semicolon: 0x3b,
  equals: 0x3d,
} as const;

/** 1 for the bytes of a token: names of fields and methods (RFC 9110, 5.6.2). */
export const isTokenCode: Uint8Array = tableOf((byte) =>
  /^[!#$%&'*+\-.^_`|~0-9A-Za-z]$/.test(String.fromCharCode(byte)),
);

/** 1 for the bytes of a field value: visible ones, spaces, tabs, and those outside of ASCII (RFC 9110, 5.5). */
export const isValueCode: Uint8Array = tableOf((byte) => byte === 0x09 || (byte >= 0x20 && byte !== 0x7f));

/**
 * 1 for the bytes of a request target. Bytes outside of ASCII are accepted: many clients do not encode them. A fragment is not: some servers take it for a
 * part of the path, others cut it off.
 */
export const isTargetCode: Uint8Array = tableOf((byte) => byte > 0x20 && byte !== 0x7f && byte !== 0x23);

/** 1 for the bytes of a host with or without a port (RFC 3986, 3.2.2 and 3.2.3). */
export const isHostCode: Uint8Array = tableOf((byte) => /^[\w\-.~%!$&'()*+,;=:[\]]$/.test(String.fromCharCode(byte)));

/** Bytes with letters in lower case. */
export const lowerCode: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte,
);

/** Returns the value of a hexadecimal digit, or -1. */
export function hexValue(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

function tableOf(contains: (byte: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => (contains(byte) ? 1 : 0));
}
