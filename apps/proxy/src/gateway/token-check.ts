// Decides about the preview token of a request.

import {
  previewCookie,
  previewHeader,
  previewParameter,
  readCookies,
  readParameter,
  type RequestView,
} from "@homeostat/routing";
import type { PreviewClaims, PreviewVerifier, VerifiedToken } from "@homeostat/x509";
import type { GatewayHost } from "./gateway-hosts.ts";

/** Reason for which a request is refused. */
export type TokenRefusal = "missing" | "invalid" | "expired" | "wrong-host" | "wrong-key" | "revoked";

/** Place of a token in a request. */
export type TokenPlace = "header" | "cookie" | "query";

/** A token of a request that the host accepts, or the reason for which none is. */
export type TokenVerdict =
  | { readonly claims: PreviewClaims; readonly token: string; readonly place: TokenPlace }
  | { readonly refused: TokenRefusal };

/** Cookies of one name that are read: another host below the same domain may set cookies of this name as well. */
const cookiesMax = 4;
/** Verified tokens that are kept in memory; a signature costs about 0.1 ms. */
const verifiedMax = 10_000;

/** Checks tokens, and remembers which have a valid signature. */
export class TokenChecker {
  readonly #verifier: PreviewVerifier;
  readonly #verified = new Map<string, PreviewClaims>();

  constructor(verifier: PreviewVerifier) {
    this.#verifier = verifier;
  }

  /** Returns the first token of a request that a host accepts. Otherwise, the refusal of the first token. */
  check(request: RequestView, host: GatewayHost, now: number): TokenVerdict {
    let first: TokenRefusal | undefined;
    for (const [place, token] of tokensOf(request)) {
      const verdict = this.#judge(token, host, now);
      if (typeof verdict !== "string") return { claims: verdict, token, place };
      first ??= verdict;
    }
    return { refused: first ?? "missing" };
  }

  #judge(token: string, host: GatewayHost, now: number): PreviewClaims | TokenRefusal {
    const verified = this.#verify(token);
    return "problem" in verified ? "invalid" : (refusalOf(verified.claims, host, now) ?? verified.claims);
  }

  #verify(token: string): VerifiedToken {
    const known = this.#verified.get(token);
    if (known !== undefined) return { claims: known };
    const verified = this.#verifier.verify(token);
    if ("problem" in verified) return verified;
    const [oldest] = this.#verified.keys();
    if (this.#verified.size >= verifiedMax && oldest !== undefined) this.#verified.delete(oldest);
    this.#verified.set(token, verified.claims);
    return verified;
  }
}

/** Returns the reason for which a host does not accept a token with a valid signature; undefined if it does. */
export function refusalOf(
  { host, key, exp, jti }: PreviewClaims,
  { preview, tokens }: Pick<GatewayHost, "preview" | "tokens">,
  now: number,
): TokenRefusal | undefined {
  if (host !== preview.host) return "wrong-host";
  // The host may belong to another sandbox by now.
  if (key !== (preview.routingKey ?? "")) return "wrong-key";
  if (exp * 1_000 <= now) return "expired";
  return tokens.has(jti) ? undefined : "revoked";
}

function* tokensOf(request: RequestView): Iterable<readonly [TokenPlace, string]> {
  const { headers, path } = request;
  const header = headers.get(previewHeader);
  if (header !== undefined) yield ["header", typeof header === "string" ? header : (header[0] ?? "")];
  // Before the cookie: a new link replaces the token of an old one.
  const parameter = readParameter(path, previewParameter);
  if (parameter !== undefined && parameter !== "") yield ["query", parameter];
  for (const cookie of readCookies(headers, previewCookie).slice(0, cookiesMax)) yield ["cookie", cookie];
}

/** Texts of the responses to refused requests. */
export const refusalTexts: Readonly<Record<TokenRefusal, string>> = {
  missing: "This preview address requires a token. Open it with: sandboxctl preview open NAME ENDPOINT\n",
  invalid: "The preview token is not valid. Request another one with: sandboxctl preview open NAME ENDPOINT\n",
  expired: "The preview token has expired. Request another one with: sandboxctl preview open NAME ENDPOINT\n",
  "wrong-host": "The preview token belongs to another preview address.\n",
  "wrong-key":
    "The preview token belongs to another sandbox. Request another one with: sandboxctl preview open NAME ENDPOINT\n",
  revoked: "The preview token was revoked. Request another one with: sandboxctl preview open NAME ENDPOINT\n",
};
