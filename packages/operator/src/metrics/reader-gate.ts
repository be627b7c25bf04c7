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
/** Shorter, for somebody who was just given the right. */
const refusedMs = 10_000;
const rememberedMax = 1_000;
/** Longer than any token of Kubernetes. */
const tokenLengthMax = 8_000;

/**
 * Lets through who shows a token of the cluster and may `get` the path, as its roles say.
 *
 * Stands for a TokenReview and a SubjectAccessReview, whose outcome is remembered for a minute. When the API server cannot be
 * asked, nobody gets in.
 */
export function readerGate({ client, clock }: ReaderGateOptions): HttpGuard {
  const remembered = new Map<string, { readonly refusal: RouteResponse | undefined; readonly untilMs: number }>();
  return async ({ path, authorization }) => {
    const [, token = ""] = /^Bearer +([^\s,]+)$/i.exec(authorization.slice(0, tokenLengthMax)) ?? [];
    if (token === "") return refusals.anonymous;
    // The token itself is not kept.
    const key = createHash("sha256").update(token).update(`\0${path}`).digest("base64");
    const before = remembered.get(key);
    if (before !== undefined && before.untilMs > clock.monotonic()) return before.refusal;
    const refusal = await judged({ client, token, path });
    if (refusal === refusals.unknown) return refusal;
    remembered.delete(key);
    const [oldest] = remembered.keys();
    if (remembered.size >= rememberedMax && oldest !== undefined) remembered.delete(oldest);
    remembered.set(key, { refusal, untilMs: clock.monotonic() + (refusal === undefined ? allowedMs : refusedMs) });
    return refusal;
  };
}

const refusals = {
  anonymous: textResponse(401, "Send the token of a service account: Authorization: Bearer …"),
  stranger: textResponse(401, "The cluster does not know this token."),
  forbidden: textResponse(403, "This account may not get this path. Bind it to a ClusterRole with nonResourceURLs."),
  unknown: textResponse(503, "The API server could not be asked who this is. Try again."),
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
