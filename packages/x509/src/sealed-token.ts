// Seals a token for one recipient. A token is delivered in the status of an object that others may read as well; only the program that
// made the key pair can open it. X25519 (RFC 7748) with an ephemeral key, HKDF-SHA256 and AES-256-GCM.

import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  type KeyObject,
} from "node:crypto";
import { generateKeys } from "./generate-keys.ts";

/** A key pair of a recipient. */
export interface RecipientKeys {
  /** X25519 public key: 32 bytes in base64url. */
  readonly publicKey: string;
  readonly privateKey: KeyObject;
}

const cipher = "aes-256-gcm";
const tagBytes = 16;
/** The key of each message is new, so that one nonce for all is never used twice with a key. */
const nonce = Buffer.alloc(12);

/** Generates the key pair of a recipient. */
export function generateRecipient(): RecipientKeys {
  const { publicKey, privateKey } = generateKeys("X25519");
  return { publicKey: rawOf(publicKey), privateKey };
}

/** Encrypts a token for a recipient. Throws if the public key is not an X25519 key. */
export function sealToken(token: string, recipient: string): string {
  const ephemeral = generateRecipient();
  const key = keyOf(ephemeral.privateKey, recipient, [ephemeral.publicKey, recipient]);
  const encryption = createCipheriv(cipher, key, nonce);
  const sealed = Buffer.concat([encryption.update(token, "utf8"), encryption.final(), encryption.getAuthTag()]);
  return `${ephemeral.publicKey}.${sealed.toString("base64url")}`;
}

/** Decrypts a sealed token; undefined if it was sealed for another recipient, or was changed. */
export function openToken(sealed: string, { publicKey, privateKey }: RecipientKeys): string | undefined {
  const [ephemeral = "", text = ""] = sealed.split(".");
  const bytes = Buffer.from(text, "base64url");
  if (bytes.length < tagBytes) return undefined;
  try {
    const decryption = createDecipheriv(cipher, keyOf(privateKey, ephemeral, [ephemeral, publicKey]), nonce);
    decryption.setAuthTag(bytes.subarray(-tagBytes));
    return Buffer.concat([decryption.update(bytes.subarray(0, -tagBytes)), decryption.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

function keyOf(privateKey: KeyObject, peer: string, context: readonly string[]): Buffer {
  const publicKey = createPublicKey({ key: { kty: "OKP", crv: "X25519", x: peer }, format: "jwk" });
  const secret = diffieHellman({ privateKey, publicKey });
  return Buffer.from(hkdfSync("sha256", secret, Buffer.alloc(0), `sandbox-preview-token ${context.join(" ")}`, 32));
}

function rawOf(publicKey: KeyObject): string {
  return publicKey.export({ format: "jwk" }).x ?? "";
}
