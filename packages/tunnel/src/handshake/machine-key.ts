// The key pair of a developer's machine. Its public half is listed in a LocalWorkload by a user who may write that object, and so decides
// which machines may attach. Nothing else gives a machine the right to attach.
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { generateKeys } from "@homeostat/x509";

/** Length of an Ed25519 public key in base64url without padding. */
const keyLength = 43;

/** Facts that a signature is bound to, so that it is valid for one connection and one object only. */
export interface SignedFacts {
  /** Random text of the server, used for one connection: a recorded signature cannot be used again. */
  readonly nonce: string;
  /** SHA-256 of the certificate that the client sees, in hex: another server cannot relay the signature. */
  readonly certificateSha256: string;
  readonly namespace: string;
  readonly name: string;
  /** UID of the LocalWorkload: a signature for a deleted object is not valid for its successor. */
  readonly uid: string;
}

/** The key of a machine, which signs. */
export class MachineKey {
  readonly #private: KeyObject;
  /** The public key as it is listed in a LocalWorkload: 43 characters of base64url. */
  readonly publicKey: string;

  private constructor(privateKey: KeyObject) {
    this.#private = privateKey;
    this.publicKey = createPublicKey(privateKey).export({ format: "jwk" }).x ?? "";
  }

  static generate(): MachineKey {
    return new MachineKey(generateKeys("Ed25519").privateKey);
  }

  /** Reads a private key in PEM. Throws if it is not an Ed25519 key. */
  static fromPem(pem: string): MachineKey {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType !== "ed25519")
      throw new TypeError(`The key has the type ${key.asymmetricKeyType ?? "unknown"}; it must be ed25519.`);
    return new MachineKey(key);
  }

  /** Returns the private key in PEM. Store it readable by its user only. */
  toPem(): string {
    return this.#private.export({ format: "pem", type: "pkcs8" }).toString();
  }

  /** Returns the signature of facts in base64url. */
  sign(facts: SignedFacts): string {
    return sign(null, Buffer.from(signedText(facts)), this.#private).toString("base64url");
  }
}

/** Returns the id of a machine: the first 12 hexadecimal digits of the SHA-256 of its public key. */
export function machineId(publicKey: string): string {
  return createHash("sha256").update(Buffer.from(publicKey, "base64url")).digest("hex").slice(0, 12);
}

/** Reports whether a text is an Ed25519 public key in its only valid form. */
export function isPublicKey(text: string): boolean {
  if (text.length !== keyLength || !/^[A-Za-z0-9_-]+$/.test(text)) return false;
  // The last character has unused bits: several texts would decode to the same key, and a list of keys could not be compared.
  return Buffer.from(text, "base64url").toString("base64url") === text;
}

/** Reports whether a signature of facts was made by the machine with a public key. Never throws. */
export function isSignedBy(publicKey: string, facts: SignedFacts, signature: string): boolean {
  if (!isPublicKey(publicKey) || !/^[A-Za-z0-9_-]{86}$/.test(signature)) return false;
  try {
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: publicKey }, format: "jwk" });
    return verify(null, Buffer.from(signedText(facts)), key, Buffer.from(signature, "base64url"));
  } catch {
    // Not a point of the curve.
    return false;
  }
}

/** Returns the text that is signed. No field contains a line feed, so that two different lists of facts never have the same text. */
function signedText({ nonce, certificateSha256, namespace, name, uid }: SignedFacts): string {
  const fields = ["sandbox-tunnel.v1", nonce, certificateSha256, namespace, name, uid];
  if (fields.some((field) => field.includes("\n"))) throw new TypeError("A signed fact contains a line feed.");
  return fields.join("\n");
}
