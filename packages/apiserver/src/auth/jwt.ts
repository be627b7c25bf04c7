import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { ArgumentError, isRecord, type JsonRecord, once, ownValue } from "@homeostat/core";

/** A signature algorithm: its JWT name, its hash, and the signature length (undefined: any length). */
interface Algorithm {
  readonly name: "RS256" | "ES256" | "ES384" | "ES512";
  readonly hash: string;
  readonly signatureBytes?: number;
}

const curves: ReadonlyMap<string, Algorithm> = new Map([
  ["prime256v1", { name: "ES256", hash: "sha256", signatureBytes: 64 }],
  ["secp384r1", { name: "ES384", hash: "sha384", signatureBytes: 96 }],
  ["secp521r1", { name: "ES512", hash: "sha512", signatureBytes: 132 }],
]);

function algorithmOf(key: KeyObject): Algorithm {
  if (key.asymmetricKeyType === "rsa") return { name: "RS256", hash: "sha256" };
  const algorithm = curves.get(key.asymmetricKeyDetails?.namedCurve ?? "");
  if (algorithm !== undefined) return algorithm;
  throw new ArgumentError({ argument: "key", problem: "is neither RSA nor ECDSA on P-256, P-384 or P-521." });
}

interface OpenKey {
  readonly key: KeyObject;
  readonly algorithm: Algorithm;
}

/** A public key that verifies tokens. */
export class TokenKey {
  readonly #keyGetter: () => OpenKey & { readonly id: string };

  /**
   * Parses a PEM key; of a private key, uses the public half. A function is called when the key is first needed.
   *
   * @throws ArgumentError if the text is not PEM or the key type cannot sign tokens.
   */
  constructor(pem: string | (() => string)) {
    this.#keyGetter = keyGetter(pem, createPublicKey, (parts) => {
      const bytes = parts.key.export({ type: "spki", format: "der" });
      return { ...parts, id: createHash("sha256").update(bytes).digest("base64url") };
    });
  }

  /** Key ID for the token header: a hash of the public key. */
  get id(): string {
    return this.#keyGetter().id;
  }

  /** Reports whether a token was signed with this key. */
  hasSigned({ head, signed, signature }: ReadToken): boolean {
    const { key, algorithm } = this.#keyGetter();
    const { name, hash, signatureBytes } = algorithm;
    if (ownValue(head, "alg") !== name) return false;
    if (signatureBytes !== undefined && signature.length !== signatureBytes) return false;
    return verify(hash, Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" }, signature);
  }

  /** Returns the key as an entry of a JSON Web Key Set. */
  toJwk(): JsonRecord {
    const { key, algorithm, id } = this.#keyGetter();
    return { use: "sig", ...key.export({ format: "jwk" }), kid: id, alg: algorithm.name };
  }
}

/** A private key that signs tokens. */
export class SigningKey {
  readonly #keyGetter: () => OpenKey;
  /** The public half, which verifies the tokens. */
  readonly publicKey: TokenKey;

  /**
   * Parses a PEM private key. A function is called when the key is first needed.
   *
   * @throws ArgumentError if the text is not PEM or the key type cannot sign tokens.
   */
  constructor(pem: string | (() => string)) {
    const text = typeof pem === "string" ? pem : once(pem);
    this.#keyGetter = keyGetter(text, createPrivateKey, (parts) => parts);
    this.publicKey = new TokenKey(text);
  }

  /** Signs claims and returns a token in compact form. */
  sign(claims: JsonRecord): string {
    const { key, algorithm } = this.#keyGetter();
    const head = { alg: algorithm.name, kid: this.publicKey.id };
    const signed = `${encode(JSON.stringify(head))}.${encode(JSON.stringify(claims))}`;
    const signature = sign(algorithm.hash, Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" });
    return `${signed}.${signature.toString("base64url")}`;
  }
}

/** Returns a getter for a key. The key is parsed immediately if its text is available, and otherwise on first use. */
function keyGetter<T extends OpenKey>(
  pem: string | (() => string),
  read: (pem: string) => KeyObject,
  withMore: (parts: OpenKey) => T,
): () => T {
  const make = once(() => {
    const key = parseKey(typeof pem === "string" ? pem : pem(), read);
    return withMore({ key, algorithm: algorithmOf(key) });
  });
  if (typeof pem === "string") make();
  return make;
}

/** A parsed token. Nothing in it may be trusted before the signature is verified. */
export interface ReadToken {
  readonly head: JsonRecord;
  readonly claims: JsonRecord;
  /** The part of the text that the signature covers. */
  readonly signed: string;
  readonly signature: Uint8Array;
}

/** Parses a token in compact form; undefined if it is not one. */
export function readToken(text: string): ReadToken | undefined {
  if (text.length > tokenLengthMax) return undefined;
  const [first = "", second = "", third, ...rest] = text.split(".", 4);
  if (third === undefined || rest.length > 0) return undefined;
  const head = decodeRecord(first);
  const claims = decodeRecord(second);
  const signature = decode(third);
  if (head === undefined || claims === undefined || signature === undefined) return undefined;
  // A critical header extension must be understood (RFC 7515, section 4.1.11), and none is supported.
  if (typeof ownValue(head, "alg") !== "string" || ownValue(head, "crit") !== undefined) return undefined;
  return { head, claims, signed: `${first}.${second}`, signature };
}

/** Far larger than any token, and than a header may be. */
const tokenLengthMax = 1024 * 1024;

function parseKey(pem: string, read: (pem: string) => KeyObject): KeyObject {
  try {
    return read(pem);
  } catch (cause) {
    throw new ArgumentError({ argument: "key", problem: "must be a PEM key without a password." }, { cause });
  }
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64url");
}

function decode(text: string): Buffer | undefined {
  // Buffer ignores invalid characters; a token with them must be refused.
  return /^[A-Za-z0-9_-]*$/.test(text) && text.length % 4 !== 1 ? Buffer.from(text, "base64url") : undefined;
}

function decodeRecord(text: string): JsonRecord | undefined {
  const bytes = decode(text);
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
