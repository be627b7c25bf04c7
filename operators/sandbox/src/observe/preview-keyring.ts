import { createPrivateKey } from "node:crypto";
import { isList, isRecord } from "@homeostat/core";
import type { PreviewKey } from "@homeostat/routing";
import { generateKeys, type PreviewSigner } from "@homeostat/x509";
import { signingKey, type StoredKey } from "../decide/preview-keys.ts";

/** A key pair of preview tokens, as it is stored in a Secret. */
export interface StoredKeyPair extends StoredKey {
  /** Ed25519 public key: 32 bytes in base64url. */
  readonly publicKey: string;
  /** PKCS #8, PEM. */
  readonly privateKey: string;
}

/** The keys of preview tokens, as the service that keeps them reports them. */
export class PreviewKeyring {
  #keys: readonly StoredKeyPair[] = [];

  set(keys: readonly StoredKeyPair[]): void {
    this.#keys = keys;
  }

  /** Returns the key that signs tokens; undefined until the keys are known. */
  signer(now: number): PreviewSigner | undefined {
    const key = signingKey(this.#keys, now);
    return key && { id: key.id, privateKey: createPrivateKey(key.privateKey) };
  }
}

/** Generates a key pair. Its id is the beginning of the public key. */
export function generatePreviewKey(now: number): StoredKeyPair {
  const { publicKey, privateKey } = generateKeys("Ed25519");
  const { x = "" } = publicKey.export({ format: "jwk" });
  return {
    id: x.slice(0, 12),
    createdAt: now,
    publicKey: x,
    privateKey: privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
  };
}

/** Returns the text of a Secret for keys. */
export function formatKeys(keys: readonly StoredKeyPair[]): string {
  return JSON.stringify(keys);
}

/** Returns the text of the ConfigMap for keys: the public parts only. */
export function formatPublicKeys(keys: readonly StoredKeyPair[]): string {
  return JSON.stringify(keys.map(({ id, publicKey }): PreviewKey => ({ id, key: publicKey })));
}

/** Reads the text of a Secret. Parts that are not keys are ignored, and a new key replaces them. */
export function parseKeys(text: string): readonly StoredKeyPair[] {
  const value = parseJson(text);
  if (!isList(value)) return [];
  return value.flatMap((each): readonly StoredKeyPair[] => {
    if (!isRecord(each)) return [];
    const { id, createdAt, publicKey, privateKey } = each;
    const isKey = typeof id === "string" && typeof createdAt === "number" && typeof publicKey === "string";
    return isKey && typeof privateKey === "string" ? [{ id, createdAt, publicKey, privateKey }] : [];
  });
}

/** Reads the text of the ConfigMap. */
export function parsePublicKeys(text: string): unknown {
  return parseJson(text);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
