/** Protocol of a connection, as its first bytes tell. `undecided` needs more bytes. */
export type DetectedProtocol = "http1" | "http2" | "tcp" | "undecided";

const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/** Bytes that tell the protocol; more are not needed. */
const comparedMax = 64;

/**
 * Tells the protocol of a connection from its first bytes: the preface of HTTP/2, a method with a space after it, or anything else, such
 * as TLS.
 */
export function detectProtocol(bytes: Buffer): DetectedProtocol {
  const text = bytes.toString("latin1", 0, comparedMax);
  const compared = Math.min(text.length, preface.length);
  if (text.startsWith(preface.slice(0, compared))) return compared === preface.length ? "http2" : "undecided";
  const [method = ""] = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]*/.exec(text) ?? [];
  // A method longer than the preface is refused by the engine, with a response.
  if (method.length > preface.length) return "http1";
  if (method.length === text.length) return "undecided";
  return method !== "" && text[method.length] === " " ? "http1" : "tcp";
}
