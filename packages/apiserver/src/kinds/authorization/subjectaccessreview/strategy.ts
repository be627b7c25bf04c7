import { reviewAccess } from "../../../auth/access-reviews.ts";
import { accessReview, reviewEndpoint } from "../../reviews.ts";
import type { KindStrategy } from "../../strategy.ts";

/** SubjectAccessReviews: report whether a user may perform an action. */
export const subjectAccessReviewStrategy: KindStrategy = {
  group: "authorization.k8s.io",
  plural: "subjectaccessreviews",
  isExemptFromPolicies: true,
  endpoints: ({ authorizer }, kind) => [
    reviewEndpoint(kind, (object) => reviewAccess(accessReview(object), authorizer)),
  ],
};
