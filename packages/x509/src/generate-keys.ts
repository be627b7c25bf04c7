import {
  type ED25519KeyPairOptions,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  type KeyPairSyncResult,
} from "node:crypto";

/** A type of key: ECDSA on P-256, Ed25519 for signatures, X25519 for key agreement. */
export type KeyType = "P-256" | "Ed25519" | "X25519";

/** A generated key pair. */
export interface GeneratedKeys {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

const encodings: ED25519KeyPairOptions<"der", "der"> = {
  publicKeyEncoding: { type: "spki", format: "der" },
  privateKeyEncoding: { type: "pkcs8", format: "der" },
};

/**
 * Generates a key pair.
 *
 * The keys are encoded and parsed once, because key objects that `generateKeyPairSync` returns can block the process forever. In Node 20 such a
 * key and the internal job that generated it share a lock. Exporting the key as JWK holds the lock while it allocates strings. If that
 * allocation starts a garbage collection, the collector destroys the job, whose destructor waits for the same lock on the same thread. A parsed
 * key shares nothing with a job.
 */
export function generateKeys(type: KeyType): GeneratedKeys {
  const { publicKey, privateKey } = generateEncoded(type);
  return {
    publicKey: createPublicKey({ key: publicKey, format: "der", type: "spki" }),
    privateKey: createPrivateKey({ key: privateKey, format: "der", type: "pkcs8" }),
  };
}

function generateEncoded(type: KeyType): KeyPairSyncResult<Buffer, Buffer> {
  switch (type) {
    case "P-256":
      return generateKeyPairSync("ec", { namedCurve: "P-256", ...encodings });
    case "Ed25519":
      return generateKeyPairSync("ed25519", encodings);
    case "X25519":
      return generateKeyPairSync("x25519", encodings);
  }
}
