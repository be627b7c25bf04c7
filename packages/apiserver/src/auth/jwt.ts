import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { ArgumentError, isRecord, type JsonRecord, once, ownValue } from "@homeostat/core";

/** How a key signs: the name in the token's head, the hash, and how long a signature is (undefined: any length). */
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

/** A key that tokens are checked with. */
export class TokenKey {
  readonly #opened: () => OpenKey & { readonly id: string };

  /**
   * Reads a PEM key; of a private one the public half. Throws an `ArgumentError` for a kind that cannot sign tokens.
   *
   * A function is asked for the text when the key is first needed.
   */
  constructor(pem: string | (() => string)) {
    this.#opened = opened(pem, createPublicKey, (parts) => {
      const bytes = parts.key.export({ type: "spki", format: "der" });
      return { ...parts, id: createHash("sha256").update(bytes).digest("base64url") };
    });
  }

  /** Names the key in tokens: a hash of it. */
  get id(): string {
    return this.#opened().id;
  }

  /** Whether a token was signed with this key. */
  hasSigned({ head, signed, signature }: ReadToken): boolean {
    const { key, algorithm } = this.#opened();
    const { name, hash, signatureBytes } = algorithm;
    if (ownValue(head, "alg") !== name) return false;
    if (signatureBytes !== undefined && signature.length !== signatureBytes) return false;
    return verify(hash, Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" }, signature);
  }

  /** The key as a row of a JSON Web Key Set, for whoever checks tokens elsewhere. */
  toJwk(): JsonRecord {
    const { key, algorithm, id } = this.#opened();
    return { use: "sig", ...key.export({ format: "jwk" }), kid: id, alg: algorithm.name };
  }
}

/** A key that makes tokens. */
export class SigningKey {
  readonly #opened: () => OpenKey;
  /** The half that checks them. */
  readonly publicKey: TokenKey;

  /**
   * Reads a PEM private key. Throws an `ArgumentError` for a kind that cannot sign tokens.
   *
   * A function is asked for the text when the key is first needed.
   */
  constructor(pem: string | (() => string)) {
    const text = typeof pem === "string" ? pem : once(pem);
    this.#opened = opened(text, createPrivateKey, (parts) => parts);
    this.publicKey = new TokenKey(text);
  }

  /** A token with these claims, in the compact form. */
  sign(claims: JsonRecord): string {
    const { key, algorithm } = this.#opened();
    const head = { alg: algorithm.name, kid: this.publicKey.id };
    const signed = `${encode(JSON.stringify(head))}.${encode(JSON.stringify(claims))}`;
    const signature = sign(algorithm.hash, Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" });
    return `${signed}.${signature.toString("base64url")}`;
  }
}

/** A key that is read at once when its text is there, and otherwise when it is first asked for. */
function opened<T extends OpenKey>(
  pem: string | (() => string),
  read: (pem: string) => KeyObject,
  withMore: (parts: OpenKey) => T,
): () => T {
  const make = once(() => {
    const key = open(typeof pem === "string" ? pem : pem(), read);
    return withMore({ key, algorithm: algorithmOf(key) });
  });
  if (typeof pem === "string") make();
  return make;
}

/** A token taken apart. Nothing in it may be trusted before its signature was checked. */
export interface ReadToken {
  readonly head: JsonRecord;
  readonly claims: JsonRecord;
  /** The part of the text that the signature is of. */
  readonly signed: string;
  readonly signature: Uint8Array;
}

/** Takes a token in the compact form apart; undefined for whatever is none. */
export function readToken(text: string): ReadToken | undefined {
  if (text.length > tokenLengthMax) return undefined;
  const [first = "", second = "", third, ...rest] = text.split(".", 4);
  if (third === undefined || rest.length > 0) return undefined;
  const head = decodeRecord(first);
  const claims = decodeRecord(second);
  const signature = decode(third);
  if (head === undefined || claims === undefined || signature === undefined) return undefined;
  // Nothing that a token could declare critical is understood here.
  if (typeof ownValue(head, "alg") !== "string" || ownValue(head, "crit") !== undefined) return undefined;
  return { head, claims, signed: `${first}.${second}`, signature };
}

/** Far more than any token holds, and than a server accepts as a header. */
const tokenLengthMax = 1024 * 1024;

function open(pem: string, read: (pem: string) => KeyObject): KeyObject {
  try {
    return read(pem);
  } catch (cause) {
    throw new ArgumentError(
      { argument: "key", problem: "cannot be read. It has to be PEM without a password." },
      { cause },
    );
  }
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64url");
}

function decode(text: string): Buffer | undefined {
  // Buffer skips what is no base64; a token with such characters is none.
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
