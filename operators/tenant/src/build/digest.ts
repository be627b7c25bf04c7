import { createHash } from "node:crypto";

const checksumLength = 16;

/** The SHA-256 of a text in hexadecimal digits. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** A short digest of texts, by which pods are rolled when one of them changes. No two lists of texts run together. */
export function checksum(...texts: readonly string[]): string {
  return sha256(JSON.stringify(texts)).slice(0, checksumLength);
}
