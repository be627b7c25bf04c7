import { reviewOwnAccess } from "../../../auth/access-reviews.ts";
import { accessReview, reviewEndpoint } from "../../reviews.ts";
import type { KindStrategy } from "../../strategy.ts";

/** SelfSubjectAccessReviews: report whether the client may perform an action. */
export const selfSubjectAccessReviewStrategy: KindStrategy = {
  group: "authorization.k8s.io",
  plural: "selfsubjectaccessreviews",
  isExemptFromPolicies: true,
  endpoints: ({ authorizer }, kind) => [
    reviewEndpoint(kind, (object, { user }) => reviewOwnAccess(accessReview(object), user, authorizer)),
  ],
};
