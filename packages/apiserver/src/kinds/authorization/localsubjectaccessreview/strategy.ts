import { reviewLocalAccess } from "../../../auth/access-reviews.ts";
import { accessReview, reviewEndpoint } from "../../reviews.ts";
import type { KindStrategy } from "../../strategy.ts";

/** LocalSubjectAccessReviews: report whether a user may perform an action in the namespace of the request. */
export const localSubjectAccessReviewStrategy: KindStrategy = {
  group: "authorization.k8s.io",
  plural: "localsubjectaccessreviews",
  isExemptFromPolicies: true,
  isUnmeasured: true,
  endpoints: ({ authorizer }, kind) => [
    reviewEndpoint(kind, (object, { request }) =>
      reviewLocalAccess(accessReview(object), request.info.namespace, authorizer),
    ),
  ],
};
