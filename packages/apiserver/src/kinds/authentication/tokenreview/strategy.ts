import { reviewToken, type TokenReviewSpec } from "../../../auth/reviews.ts";
import { reviewEndpoint, specOf, withMetadata } from "../../reviews.ts";
import type { KindStrategy } from "../../strategy.ts";

/** TokenReviews: authenticate a token and return its user. */
export const tokenReviewStrategy: KindStrategy = {
  group: "authentication.k8s.io",
  plural: "tokenreviews",
  isExemptFromPolicies: true,
  endpoints: ({ authenticator }, kind) => [
    reviewEndpoint(kind, (object) => withMetadata(reviewToken(specOf<TokenReviewSpec>(object), authenticator), object)),
  ],
};
