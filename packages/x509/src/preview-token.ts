// Preview tokens: JSON Web Signatures (RFC 7515) in the compact form, with Ed25519 (RFC 8037).
//
// The verifier accepts one algorithm and takes the key by its id from its own list. The header of a token therefore cannot choose
// how the token is verified.

import { createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { isRecord } from "@homeostat/core";

/** Content of a token. */
export interface PreviewClaims {
  /** Host that the token is valid for. */
  readonly host: string;
  /** Routing key of the host. Empty for a host without one. */
  readonly key: string;
  /** End of the validity, in seconds since 1970. */
  readonly exp: number;
  /** Id of the token, by which it is revoked. */
  readonly jti: string;
  /** User whom the token was issued to. */
  readonly sub: string;
  /** The only user who may use the token, as the authentication service names them. Absent if everyone who has it may. */
  readonly for?: string | undefined;
}

/** A public key with its id. */
export interface TokenKey {
  readonly id: string;
  /** Ed25519 public key: 32 bytes in base64url. */
  readonly key: string;
}

/** A private key with its id. */
export interface PreviewSigner {
  readonly id: string;
  readonly privateKey: KeyObject;
}

/** Reason for which a token is refused. */
export type TokenProblem = "malformed" | "unknown-key" | "bad-signature";

/** A verified token, or the reason for which it is refused. */
export type VerifiedToken = { readonly claims: PreviewClaims } | { readonly problem: TokenProblem };

/** Longer tokens are not read. */
export const tokenLengthMax = 2_048;
const algorithm = "EdDSA";
const type = "preview+jwt";
/** Type of tokens with the claim `for`. Verifiers that do not know the claim refuse this type, instead of ignoring the claim. */
const boundType = "preview-bound+jwt";

/** Signs a token. */
export function signPreviewToken(claims: PreviewClaims, { id, privateKey }: PreviewSigner): string {
  const typ = claims.for === undefined ? type : boundType;
  const signed = `${encode({ alg: algorithm, kid: id, typ })}.${encode(claims)}`;
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString("base64url")}`;
}

/** Verifies the signature and the form of tokens. Whether the claims allow a request is decided by the gateway. */
export class PreviewVerifier {
  readonly #keys: ReadonlyMap<string, KeyObject>;

  constructor(keys: readonly TokenKey[]) {
    this.#keys = new Map(keys.map(({ id, key }) => [id, publicKey(key)]));
  }

  verify(token: string): VerifiedToken {
    if (token.length > tokenLengthMax) return { problem: "malformed" };
    const [header = "", payload = "", signature = "", ...rest] = token.split(".");
    const fields = decode(header);
    if (rest.length > 0 || !isRecord(fields)) return { problem: "malformed" };
    const { alg, kid, typ, crit } = fields;
    if (alg !== algorithm || (typ !== type && typ !== boundType) || crit !== undefined || typeof kid !== "string")
      return { problem: "malformed" };
    const key = this.#keys.get(kid);
    if (key === undefined) return { problem: "unknown-key" };
    if (!/^[\w-]{86}$/.test(signature)) return { problem: "malformed" };
    const isSigned = verify(null, Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, "base64url"));
    if (!isSigned) return { problem: "bad-signature" };
    const claims = claimsOf(decode(payload), typ === boundType);
    return claims === undefined ? { problem: "malformed" } : { claims };
  }
}

function claimsOf(value: unknown, isBound: boolean): PreviewClaims | undefined {
  if (!isRecord(value)) return undefined;
  const { host, key, exp, jti, sub, for: user } = value;
  if (typeof host !== "string" || typeof key !== "string" || typeof jti !== "string" || typeof sub !== "string")
    return undefined;
  if (typeof exp !== "number" || !Number.isFinite(exp) || host === "" || jti === "") return undefined;
  if (!isBound) return user === undefined ? { host, key, exp, jti, sub } : undefined;
  return typeof user === "string" && user !== "" ? { host, key, exp, jti, sub, for: user } : undefined;
}

function publicKey(key: string): KeyObject {
  return createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: key }, format: "jwk" });
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function decode(text: string): unknown {
  if (!/^[\w-]+$/.test(text)) return undefined;
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}
