// Identifies proxies by the tokens of their ServiceAccounts.

import { createHash } from "node:crypto";
import type { Client } from "@homeostat/client";
import { type Clock, isRecord } from "@homeostat/core";
import { TokenReview } from "@homeostat/kubernetes/authentication/v1";
import { type JsonResponse, refusal } from "../http/response.ts";

/** The audience of the tokens. Tokens for the API server are not accepted, so that proxies never send one here. */
export const tokenAudience = "sandbox-routes";

/** The ServiceAccount of a proxy. */
export interface ProxyIdentity {
  readonly namespace: string;
  readonly serviceAccount: string;
}

/** The identity of a token and the end of its validity, in milliseconds since 1970; or the response that refuses it. */
export type Verdict =
  | { readonly identity: ProxyIdentity; readonly expiresAt: number | undefined }
  | { readonly refused: JsonResponse };

/** Times for which verdicts are cached. Refusals are cached for a shorter time, so a corrected account does not wait long. */
const acceptedMs = 60_000;
const refusedMs = 10_000;
/** Limits of the memory and of the API server load that forged tokens can cause. */
const verdictsMax = 1_000;
const reviewsInFlightMax = 20;
/** Longer than any token that Kubernetes issues. */
const tokenLengthMax = 8_000;

const account = /^system:serviceaccount:([^:]+):([^:]+)$/;

export class TokenAuth {
  readonly #client: Pick<Client, "create">;
  readonly #clock: Clock;
  // Two caches, because forged tokens fill the one for refusals and must not evict the entries of proxies.
  readonly #accepted = new Map<string, { readonly verdict: Verdict; readonly untilMs: number }>();
  readonly #refused = new Map<string, { readonly verdict: Verdict; readonly untilMs: number }>();
  #reviewsInFlight = 0;

  constructor({ client, clock }: { readonly client: Pick<Client, "create">; readonly clock: Clock }) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Returns the identity of the sender of an `Authorization` header, or the response that refuses it. */
  async identify(authorization: string): Promise<Verdict> {
    const [, token = ""] = /^Bearer +([^\s,]+)$/i.exec(authorization.slice(0, tokenLengthMax + 8)) ?? [];
    if (token === "" || token.length > tokenLengthMax) {
      const hint = `send a ServiceAccount token with the audience ${tokenAudience} as Authorization: Bearer TOKEN`;
      return { refused: refusal(401, hint) };
    }
    // Only a hash of the token is kept in memory.
    const key = createHash("sha256").update(token).digest("base64");
    const before = this.#accepted.get(key) ?? this.#refused.get(key);
    if (before !== undefined && before.untilMs > this.#clock.monotonic()) return before.verdict;
    if (this.#reviewsInFlight >= reviewsInFlightMax) {
      return { refused: refusal(503, "too many tokens are being reviewed; retry later") };
    }
    this.#reviewsInFlight += 1;
    try {
      const verdict = await this.#review(token);
      const isAccepted = "identity" in verdict;
      (isAccepted ? this.#refused : this.#accepted).delete(key);
      const verdicts = isAccepted ? this.#accepted : this.#refused;
      const [oldest] = verdicts.keys();
      if (verdicts.size >= verdictsMax && oldest !== undefined) verdicts.delete(oldest);
      verdicts.delete(key);
      const keptMs = isAccepted ? Math.min(acceptedMs, this.#leftMs(verdict.expiresAt)) : refusedMs;
      verdicts.set(key, { verdict, untilMs: this.#clock.monotonic() + keptMs });
      return verdict;
    } catch {
      // A failure of the API server is not a verdict: the next request is reviewed again.
      return { refused: refusal(503, "the API server could not review the token; retry later") };
    } finally {
      this.#reviewsInFlight -= 1;
    }
  }

  /** Returns the time until a token expires. */
  #leftMs(expiresAt: number | undefined): number {
    return expiresAt === undefined ? Number.POSITIVE_INFINITY : Math.max(0, expiresAt - this.#clock.now());
  }

  async #review(token: string): Promise<Verdict> {
    const review = await this.#client.create(TokenReview, {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenReview",
      metadata: {},
      spec: { token, audiences: [tokenAudience] },
    });
    const { authenticated = false, audiences = [], user = {} } = review.status ?? {};
    // An API server that does not support audiences returns none; its verdict is then only valid for its own audience.
    if (!authenticated || !audiences.includes(tokenAudience)) {
      const hint = `the API server did not accept this token for the audience ${tokenAudience}; request a token with it`;
      return { refused: refusal(401, hint) };
    }
    const [, namespace, serviceAccount] = account.exec(user.username ?? "") ?? [];
    if (namespace === undefined || serviceAccount === undefined) {
      return { refused: refusal(403, "the token is not that of a ServiceAccount") };
    }
    // The API server accepts a token for a minute after its expiry, to tolerate clock skew. Streams end at the expiry.
    const expiresAt = expiryOf(token);
    if (this.#leftMs(expiresAt) <= 0) return { refused: refusal(401, "the token has expired; request another one") };
    return { identity: { namespace, serviceAccount }, expiresAt };
  }
}

/** Returns the claim `exp` of a token that the API server has verified, in milliseconds; undefined if it has none. */
export function expiryOf(token: string): number | undefined {
  const [, payload = ""] = token.split(".");
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
    const exp = isRecord(claims) ? claims["exp"] : undefined;
    return typeof exp === "number" && Number.isFinite(exp) ? exp * 1_000 : undefined;
  } catch {
    // The token is not a JWT, so only the API server knows whether it is still valid.
    return undefined;
  }
}
