import type { Clock, JsonRecord } from "@homeostat/core";
import {
  type AccessReview,
  reviewAccess,
  reviewLocalAccess,
  reviewOwnAccess,
  reviewOwnRules,
} from "../auth/access-reviews.ts";
import type { Authorizer } from "../auth/attributes.ts";
import type { Authenticator } from "../auth/authenticate.ts";
import type { RbacPolicy } from "../auth/rbac/policy.ts";
import { Refusal } from "../auth/refusal.ts";
import { reviewSelf, reviewToken, type TokenReviewSpec } from "../auth/reviews.ts";
import type { SpecialEndpoint } from "../handlers/special.ts";
import { builtInByResource } from "../kinds/built-in-kinds.ts";
import { StatusError } from "../status/status.ts";
import { isRecord } from "@homeostat/core";
import type { Admitted } from "../handlers/context.ts";
import { answeredKind } from "./answered-kind.ts";
import { readSent, shownObject } from "./sent.ts";

/** What reviews are answered with. */
export interface ReviewTools {
  readonly authorizer: Authorizer;
  readonly authenticator: Authenticator;
  readonly policy: RbacPolicy;
  readonly clock: Pick<Clock, "now">;
}

type Review = (object: JsonRecord, admitted: Admitted) => JsonRecord | Refusal;

/** The endpoints that answer questions: who am I, whose token is this, who may do what. */
export function reviewEndpoints({ authorizer, authenticator, policy, clock }: ReviewTools): SpecialEndpoint[] {
  const authentication = "authentication.k8s.io";
  const authorization = "authorization.k8s.io";
  const reviews: readonly (readonly [group: string, resource: string, review: Review])[] = [
    [authentication, "selfsubjectreviews", (_, { user }) => reviewSelf(user, clock)],
    [
      authentication,
      "tokenreviews",
      (object) => withMetadata(reviewToken(specOf<TokenReviewSpec>(object), authenticator), object),
    ],
    [authorization, "subjectaccessreviews", (object) => reviewAccess(accessReview(object), authorizer)],
    [
      authorization,
      "selfsubjectaccessreviews",
      (object, { user }) => reviewOwnAccess(accessReview(object), user, authorizer),
    ],
    [
      authorization,
      "localsubjectaccessreviews",
      (object, { request }) => reviewLocalAccess(accessReview(object), request.info.namespace, authorizer),
    ],
    [
      authorization,
      "selfsubjectrulesreviews",
      (object, { user }) => reviewOwnRules({ spec: specOf(object) }, user, policy),
    ],
  ];
  return reviews.flatMap(([group, resource, review]) => {
    const row = builtInByResource(group, "v1", resource);
    if (row === undefined) return [];
    const kind = answeredKind(row, clock);
    return [
      {
        group,
        resource,
        subresource: "",
        handle: async (admitted: Admitted) => {
          const sent = await readSent(admitted, kind);
          const answer = review(sent.object, admitted);
          if (answer instanceof Refusal) throw new StatusError(answer.status);
          await sent.validate();
          return shownObject(admitted, 201, answer);
        },
      },
    ];
  });
}

function withMetadata(answer: JsonRecord | Refusal, { metadata }: JsonRecord): JsonRecord | Refusal {
  if (answer instanceof Refusal) return answer;
  const { kind, apiVersion, ...rest } = answer;
  return { kind, apiVersion, metadata: isRecord(metadata) ? metadata : {}, ...without(rest, "metadata") };
}

function without(record: JsonRecord, field: string): JsonRecord {
  const { [field]: _, ...rest } = record;
  return rest;
}

/** The spec of an object whose type was read before: its fields are what they should be, or absent. */
function specOf<T extends object>({ spec }: JsonRecord): Partial<T> {
  return isRecord(spec) ? partial<T>(spec) : {};
}

function partial<T extends object>(record: JsonRecord): Partial<T> {
  return Object.assign<Partial<T>, JsonRecord>({}, record);
}

function accessReview(object: JsonRecord): AccessReview {
  const { metadata } = object;
  return { spec: specOf<AccessReview["spec"]>(object), ...(isRecord(metadata) ? { metadata } : {}) };
}
