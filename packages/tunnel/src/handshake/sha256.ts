import { createHash } from "node:crypto";

/** Returns the SHA-256 of a certificate in DER, in hex. */
export function sha256(der: Buffer): string {
  return createHash("sha256").update(der).digest("hex");
}
