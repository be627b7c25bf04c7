// The session of a user in a cookie. The server keeps nothing: each replica that has the key reads the cookie.

import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { isRecord, ownValue } from "@homeostat/core";

/** A user who has logged in with a token. */
export interface TokenSession {
  readonly token: string;
  /** Name of the user, as the API server returned it at the login. */
  readonly user: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Purpose of the key. Cookies of another version are not read. */
const purpose = "homeostat-dashboard session 1";
const nonceBytes = 12;
const tagBytes = 16;
/** Longest sealed session that is read, in characters. Browsers store at most 4,096 bytes. */
const sealedMax = 8_192;
const openedBytesMax = 32_768;

/**
 * Encrypts a session with AES-256-GCM, so that a copy of the cookie is of use at this dashboard only, and cannot be changed.
 *
 * Tokens are base64: encrypting the compressed text needs three quarters of the bytes, so that tokens of 3.5 KB fit into a cookie. An attacker who could
 * choose a part of the text would learn about the rest from its length, but no part of it is the choice of anyone else than the API server.
 */
export function sealSession(
  { token, user, expiresAt }: TokenSession,
  { secret, randomBytes }: { readonly secret: Buffer; readonly randomBytes: (count: number) => Buffer },
): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", keyOf(secret), nonce, { authTagLength: tagBytes });
  const text = deflateRawSync(JSON.stringify({ token, user, expiresAt }), { level: 9 });
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString("base64url");
}

/** Decrypts a session; undefined if it was changed, or encrypted with another key. */
export function openSession(sealed: string, secret: Buffer): TokenSession | undefined {
  const bytes = sealed.length > sealedMax ? Buffer.alloc(0) : Buffer.from(sealed, "base64url");
  if (bytes.length <= nonceBytes + tagBytes) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", keyOf(secret), bytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  try {
    const text = Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]);
    return sessionIn(JSON.parse(inflateRawSync(text, { maxOutputLength: openedBytesMax }).toString("utf8")));
  } catch {
    // The tag does not match. Anyone can send such a cookie; the request is treated like one without a cookie.
    return undefined;
  }
}

function keyOf(secret: Buffer): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "", purpose, 32));
}

function sessionIn(value: unknown): TokenSession | undefined {
  if (!isRecord(value)) return undefined;
  const [token, user, expiresAt] = [ownValue(value, "token"), ownValue(value, "user"), ownValue(value, "expiresAt")];
  return typeof token === "string" && typeof user === "string" && typeof expiresAt === "number"
    ? { token, user, expiresAt }
    : undefined;
}
