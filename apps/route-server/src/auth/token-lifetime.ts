import type { Clock } from "@homeostat/core";
import type { EndReason } from "@homeostat/routing";
import type { ProxyIdentity, TokenAuth } from "./token-auth.ts";

export interface TokenLifetimeOptions {
  readonly auth: Pick<TokenAuth, "identify">;
  /** The `Authorization` header of the stream. */
  readonly authorization: string;
  readonly identity: ProxyIdentity;
  readonly expiresAt: number | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The reason why a stream may not continue. */
export interface TokenEnd {
  readonly reason: Extract<EndReason, "TokenExpired" | "TokenRejected">;
  readonly message: string;
}

/**
 * Interval of the reviews of an open stream. A token is invalid before its expiry when its ServiceAccount or its pod is deleted, and only the
 * API server knows.
 */
const reviewMs = 300_000;

const advice = "read the token from its file again and reconnect";

/**
 * Waits until the token of a stream is no longer valid: at its expiry, or when the API server rejects it. Returns undefined if the signal
 * aborts first. While the API server cannot review tokens, the stream continues until the expiry.
 */
export async function tokenEnd(options: TokenLifetimeOptions): Promise<TokenEnd | undefined> {
  const { auth, authorization, identity, expiresAt = Number.POSITIVE_INFINITY, clock, signal } = options;
  for (;;) {
    const leftMs = expiresAt - clock.now();
    if (leftMs <= 0) return { reason: "TokenExpired", message: `the token of this stream has expired; ${advice}` };
    try {
      await clock.sleep(Math.min(leftMs, reviewMs), signal);
    } catch {
      return undefined;
    }
    if (clock.now() >= expiresAt) continue;
    const verdict = await auth.identify(authorization);
    if (signal.aborted) return undefined;
    if ("refused" in verdict) {
      if (verdict.refused.status === 503) continue;
      return { reason: "TokenRejected", message: `the API server no longer accepts the token; ${advice}` };
    }
    // The name in a token cannot change; this guards against an API server that is configured in another way.
    if (verdict.identity.namespace !== identity.namespace) {
      return { reason: "TokenRejected", message: `the token belongs to another namespace now; ${advice}` };
    }
  }
}
