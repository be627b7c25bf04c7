import { reviewSelf } from "../../../auth/reviews.ts";
import { reviewEndpoint } from "../../reviews.ts";
import type { KindStrategy } from "../../strategy.ts";

/** SelfSubjectReviews: return the user, groups and extra fields of the client. */
export const selfSubjectReviewStrategy: KindStrategy = {
  group: "authentication.k8s.io",
  plural: "selfsubjectreviews",
  isExemptFromPolicies: true,
  endpoints: ({ clock }, kind) => [reviewEndpoint(kind, (_, { user }) => reviewSelf(user, clock))],
};
