import { createHash } from "node:crypto";
import type { Client } from "@homeostat/client";
import type { Clock } from "@homeostat/core";
import { TokenReview } from "@homeostat/kubernetes/authentication/v1";
import { type HttpGuard, type RouteResponse, textResponse } from "@homeostat/runtime";

/** What the gate asks an API server. A `Client` has it. */
export type GateClient = Pick<Client, "create" | "reviewAccess">;

/** Options of {@link readerGate}. */
export interface ReaderGateOptions {
  readonly client: GateClient;
  readonly clock: Clock;
}

/** How long a verdict is remembered, in milliseconds: a scraper that comes every few seconds costs two requests a minute. */
const allowedMs = 60_000;
/** Shorter, for an account that was just given the right. */
const refusedMs = 10_000;
const rememberedMax = 1_000;
/** Any client can send unknown tokens, and each costs the API server a review. */
const reviewsInFlightMax = 10;
/** Longer than any token of Kubernetes. */
const tokenLengthMax = 8_000;

/**
 * Lets requests through that carry a token of the cluster whose account may `get` the path, as its roles say.
 *
 * Sends a TokenReview and a SubjectAccessReview, whose outcome is remembered for a minute, and at most ten at a time. When the
 * API server cannot be asked, no request is let through.
 */
export function readerGate({ client, clock }: ReaderGateOptions): HttpGuard {
  // Kept apart: refused tokens, which any client can make up, must not displace the scraper that is let through.
  const allowed = new Verdicts(clock, allowedMs);
  const refused = new Verdicts(clock, refusedMs);
  let reviewsInFlight = 0;
  return async ({ path, authorization }) => {
    const [, token = ""] = /^Bearer +([^\s,]+)$/i.exec(authorization.slice(0, tokenLengthMax)) ?? [];
    if (token === "") return refusals.anonymous;
    // The token itself is not kept.
    const key = createHash("sha256").update(token).update(`\0${path}`).digest("base64");
    const before = allowed.get(key) ?? refused.get(key);
    if (before !== undefined) return before.refusal;
    if (reviewsInFlight >= reviewsInFlightMax) return refusals.busy;
    reviewsInFlight += 1;
    try {
      const refusal = await judged({ client, token, path });
      if (refusal !== refusals.unknown) (refusal === undefined ? allowed : refused).set(key, { refusal });
      return refusal;
    } finally {
      reviewsInFlight -= 1;
    }
  };
}

interface Verdict {
  readonly refusal: RouteResponse | undefined;
}

/** Verdicts that are remembered for some time, the latest ones where there are many. */
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
  anonymous: textResponse(401, "Send the token of a service account: Authorization: Bearer …"),
  stranger: textResponse(401, "The cluster does not know this token."),
  forbidden: textResponse(403, "This account may not get this path. Bind it to a ClusterRole with nonResourceURLs."),
  unknown: textResponse(503, "The API server could not be asked who this is. Try again."),
  busy: textResponse(503, "Too many tokens are being checked. Try again."),
} as const;

async function judged({
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
    if (!authenticated || user.username === undefined || user.username === "") return refusals.stranger;
    const { isAllowed } = await client.reviewAccess(
      { user: user.username, groups: user.groups, uid: user.uid },
      { verb: "get", path },
    );
    return isAllowed ? undefined : refusals.forbidden;
  } catch {
    return refusals.unknown;
  }
}
