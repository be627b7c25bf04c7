import { type Clock, formatTime, type JsonRecord } from "@homeostat/core";
import { bearerOf, type Authenticator } from "./authenticate.ts";
import { badRequest, type Refusal } from "./refusal.ts";
import { anonymousUser, type User } from "./user.ts";

// Answers to questions about credentials. They are made, never stored; managed fields are the business of whoever sends them.

const apiVersion = "authentication.k8s.io/v1";

/** A user as reviews show it. What is empty is left out. */
export function userInfoOf({ name, uid, groups, extra }: User): JsonRecord {
  return {
    ...(name === "" ? {} : { username: name }),
    ...(uid === "" ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

/** The answer to a `SelfSubjectReview`: who the server takes you for. */
export function reviewSelf(user: User, clock: Pick<Clock, "now">): JsonRecord {
  return {
    kind: "SelfSubjectReview",
    apiVersion,
    metadata: { creationTimestamp: formatTime(clock.now()) },
    status: { userInfo: userInfoOf(user) },
  };
}

/** The question of a `TokenReview`. */
export interface TokenReviewSpec {
  readonly token?: string | undefined;
  readonly audiences?: readonly string[] | null | undefined;
}

/** The answer to a `TokenReview`: whom a token stands for, or why it is no good. */
export function reviewToken(spec: TokenReviewSpec, authenticator: Authenticator): JsonRecord | Refusal {
  const { token = "" } = spec;
  if (token === "") return badRequest("token is required for TokenReview in authentication");
  const asked = spec.audiences ?? [];
  const audiences = asked.length === 0 ? authenticator.apiAudiences : asked;
  const answer = (status: JsonRecord): JsonRecord => ({
    kind: "TokenReview",
    apiVersion,
    metadata: {},
    spec: { token, ...(asked.length === 0 ? {} : { audiences: asked }) },
    status,
  });
  // The real server makes a request of the token and looks who sent it. So it stops at a space, and without a token it is
  // a request of nobody's.
  const bearer = bearerOf(`Bearer ${token}`).token;
  if (bearer === "") {
    if (!authenticator.isAnonymousAt("")) return answer({ user: {} });
    return answer({ authenticated: true, user: userInfoOf(anonymousUser), audiences });
  }
  const holder = authenticator.checkToken(bearer, audiences);
  if (typeof holder === "string") return answer({ user: {}, error: holder });
  return answer({ authenticated: true, user: userInfoOf(holder.user), audiences: holder.audiences });
}
