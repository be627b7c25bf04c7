import { isTokenCode } from "../http1/codes.ts";

/** Protocol of a connection, as its first bytes tell. `undecided` needs more bytes. */
export type DetectedProtocol = "http1" | "http2" | "tcp" | "undecided";

const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const space = 0x20;

/**
 * Tells the protocol of a connection from its first bytes: the preface of HTTP/2, a method with a space after it, or anything else, such
 * as TLS.
 */
export function detectProtocol(bytes: Buffer): DetectedProtocol {
  const compared = Math.min(bytes.length, preface.length);
  if (bytes.toString("latin1", 0, compared) === preface.slice(0, compared))
    return compared === preface.length ? "http2" : "undecided";
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === space) return at > 0 ? "http1" : "tcp";
    if (isTokenCode[byte] !== 1) return "tcp";
    // A method as long as the preface is refused by the engine, with a response.
    if (at >= preface.length) return "http1";
  }
  return "undecided";
}
