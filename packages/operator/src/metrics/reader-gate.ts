import { createHash } from "node:crypto";
import type { Client } from "@homeostat/client";
import type { Clock } from "@homeostat/core";
import { TokenReview } from "@homeostat/kubernetes/authentication/v1";
import { type HttpGuard, type RouteResponse, textResponse } from "@homeostat/runtime";

/** The calls of a `Client` that the gate makes. */
export type GateClient = Pick<Client, "create" | "reviewAccess">;

/** Options of {@link readerGate}. */
export interface ReaderGateOptions {
  readonly client: GateClient;
  readonly clock: Clock;
}

/** The time for which an allowed request is cached, in milliseconds. A scraper then costs the API server two requests per minute. */
const allowedMs = 60_000;
/** The time for which a refused request is cached. Shorter, so that an account that was just granted the permission does not wait long. */
const refusedMs = 10_000;
const rememberedMax = 1_000;
/** Limits concurrent reviews: any client can send forged tokens, and each costs the API server a TokenReview. */
const reviewsInFlightMax = 10;
/** Longer than any token that Kubernetes issues. */
const tokenLengthMax = 8_000;

/**
 * Returns a guard that admits requests whose bearer token belongs to an account that RBAC allows to `get` the path.
 *
 * Each new token costs a TokenReview and a SubjectAccessReview. The result is cached for a minute, and at most ten reviews are
 * in flight. While the API server cannot be reached, uncached tokens are refused with 503.
 */
export function readerGate({ client, clock }: ReaderGateOptions): HttpGuard {
  // Two caches, because forged tokens fill the one for refusals and must not evict the entry of the scraper.
  const allowed = new Verdicts(clock, allowedMs);
  const refused = new Verdicts(clock, refusedMs);
  let reviewsInFlight = 0;
  return async ({ path, authorization }) => {
    const [, token = ""] = /^Bearer +([^\s,]+)$/i.exec(authorization.slice(0, tokenLengthMax)) ?? [];
    if (token === "") return refusals.missingToken;
    // Only a hash of the token is kept in memory.
    const key = createHash("sha256").update(token).update(`\0${path}`).digest("base64");
    const before = allowed.get(key) ?? refused.get(key);
    if (before !== undefined) return before.refusal;
    if (reviewsInFlight >= reviewsInFlightMax) return refusals.busy;
    reviewsInFlight += 1;
    try {
      const refusal = await reviewToken({ client, token, path });
      // A failure of the API server is not a verdict: the next request is reviewed again.
      if (refusal !== refusals.reviewFailed) (refusal === undefined ? allowed : refused).set(key, { refusal });
      return refusal;
    } finally {
      reviewsInFlight -= 1;
    }
  };
}

interface Verdict {
  readonly refusal: RouteResponse | undefined;
}

/** A cache of verdicts with a time to live and a size limit. The oldest entry is evicted first. */
class Verdicts {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #entries = new Map<string, { readonly verdict: Verdict; readonly untilMs: number }>();

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  get(key: string): Verdict | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.untilMs > this.#clock.monotonic() ? entry.verdict : undefined;
  }

  set(key: string, verdict: Verdict): void {
    this.#entries.delete(key);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size >= rememberedMax && oldest !== undefined) this.#entries.delete(oldest);
    this.#entries.set(key, { verdict, untilMs: this.#clock.monotonic() + this.#ms });
  }
}

const refusals = {
  missingToken: textResponse(401, "A service account token is required: Authorization: Bearer …"),
  invalidToken: textResponse(401, "The API server did not accept this token."),
  forbidden: textResponse(
    403,
    "This account is not authorized to get this path. Bind it to a ClusterRole that allows it in nonResourceURLs.",
  ),
  reviewFailed: textResponse(503, "The API server could not review the token. Retry later."),
  busy: textResponse(503, "Too many tokens are being reviewed. Retry later."),
} as const;

/** Returns the response that refuses the request, undefined if the account is authorized. */
async function reviewToken({
  client,
  token,
  path,
}: {
  readonly client: GateClient;
  readonly token: string;
  readonly path: string;
}): Promise<RouteResponse | undefined> {
  try {
    const review = await client.create(TokenReview, {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenReview",
      metadata: {},
      spec: { token },
    });
    const { authenticated = false, user = {} } = review.status ?? {};
    if (!authenticated || user.username === undefined || user.username === "") return refusals.invalidToken;
    const { isAllowed } = await client.reviewAccess(
      { user: user.username, groups: user.groups, uid: user.uid },
      { verb: "get", path },
    );
    return isAllowed ? undefined : refusals.forbidden;
  } catch {
    return refusals.reviewFailed;
  }
}
