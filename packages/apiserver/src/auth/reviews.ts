import { type Clock, formatTime, type JsonRecord } from "@homeostat/core";
import { bearerOf, type Authenticator } from "./authenticate.ts";
import { badRequest, type Refusal } from "./refusal.ts";
import { anonymousUser, type User } from "./user.ts";

// Responses to authentication reviews. Reviews are never stored. Managed fields are left to the caller.

const apiVersion = "authentication.k8s.io/v1";

/** Formats a user for reviews; empty fields are omitted. */
export function userInfoOf({ name, uid, groups, extra }: User): JsonRecord {
  return {
    ...(name === "" ? {} : { username: name }),
    ...(uid === "" ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

/** Responds to a `SelfSubjectReview`: returns the requesting user as the server sees it. */
export function reviewSelf(user: User, clock: Pick<Clock, "now">): JsonRecord {
  return {
    kind: "SelfSubjectReview",
    apiVersion,
    metadata: { creationTimestamp: formatTime(clock.now()) },
    status: { userInfo: userInfoOf(user) },
  };
}

/** Spec of a `TokenReview`. */
export interface TokenReviewSpec {
  readonly token?: string | undefined;
  readonly audiences?: readonly string[] | null | undefined;
}

/** Responds to a `TokenReview`: returns the user of a token, or the reason why it is invalid. */
export function reviewToken(spec: TokenReviewSpec, authenticator: Authenticator): JsonRecord | Refusal {
  const { token = "" } = spec;
  if (token === "") return badRequest("token is required for TokenReview in authentication");
  const requestedAudiences = spec.audiences ?? [];
  const audiences = requestedAudiences.length === 0 ? authenticator.apiAudiences : requestedAudiences;
  const respond = (status: JsonRecord): JsonRecord => ({
    kind: "TokenReview",
    apiVersion,
    metadata: {},
    spec: { token, ...(requestedAudiences.length === 0 ? {} : { audiences: requestedAudiences }) },
    status,
  });
  // The real server authenticates a request with this token as its header. So the token ends at a space, and an empty
  // token makes the request anonymous.
  const bearer = bearerOf(`Bearer ${token}`).token;
  if (bearer === "") {
    if (!authenticator.isAnonymousAt("")) return respond({ user: {} });
    return respond({ authenticated: true, user: userInfoOf(anonymousUser), audiences });
  }
  const holder = authenticator.checkToken(bearer, audiences);
  if (typeof holder === "string") return respond({ user: {}, error: holder });
  return respond({ authenticated: true, user: userInfoOf(holder.user), audiences: holder.audiences });
}
