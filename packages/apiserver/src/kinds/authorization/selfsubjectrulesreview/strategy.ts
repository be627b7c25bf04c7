import { reviewOwnRules } from "../../../auth/access-reviews.ts";
import { reviewEndpoint, specOf } from "../../reviews.ts";
import type { KindStrategy } from "../../strategy.ts";

/** SelfSubjectRulesReviews: list all rights of the client in a namespace. */
export const selfSubjectRulesReviewStrategy: KindStrategy = {
  group: "authorization.k8s.io",
  plural: "selfsubjectrulesreviews",
  isExemptFromPolicies: true,
  endpoints: ({ policy }, kind) => [
    reviewEndpoint(kind, (object, { user }) => reviewOwnRules({ spec: specOf(object) }, user, policy)),
  ],
};
