// Decides whether the token of a PreviewLink is issued.

import { quoteText } from "@homeostat/core";
import type { PublishedEndpoint } from "../api/published-endpoints.ts";
import type { PreviewLinkReason } from "../api/preview-link.ts";

export interface PreviewLinkInput {
  readonly target: { readonly kind: string; readonly name: string };
  readonly endpoint: string;
  readonly hasTarget: boolean;
  /** Names of all endpoints of the target. */
  readonly endpoints: readonly string[];
  /** The published endpoint; undefined if gateways do not serve it. */
  readonly published: PublishedEndpoint | undefined;
  /** User who created the link; undefined if the webhook did not record it. */
  readonly user: string | undefined;
  /** Result of the SubjectAccessReview; undefined without a user. */
  readonly isAllowed: boolean | undefined;
  readonly hasSigner: boolean;
  /** The only user who may use the link; undefined if everyone who has it may. */
  readonly forUser: string | undefined;
  /** True if gateways can ask an authentication service for the name of a user. */
  readonly identifiesUsers: boolean;
}

/** Advice for a link that is bound to a user, in a cluster whose gateways cannot identify users. */
export const identityAdvice =
  "set preview.forward.url and preview.forward.userHeader in the ConfigMap sandbox-config, or create a link without forUser";

/** The decision about a link: a token is issued, or refused with a reason. */
export type PreviewLinkDecision =
  | { readonly state: "issued"; readonly endpoint: PublishedEndpoint; readonly user: string }
  | { readonly state: "refused"; readonly reason: PreviewLinkReason; readonly message: string };

/** Decides about a link. Every refusal also revokes a token that was issued before. */
export function decidePreviewLink(input: PreviewLinkInput): PreviewLinkDecision {
  const { target, endpoint, published, user } = input;
  const object = `${target.kind} ${target.name}`;
  if (!input.hasTarget) return refused("TargetMissing", `${object} does not exist in this namespace`);
  if (!input.endpoints.includes(endpoint)) {
    const known = input.endpoints.length === 0 ? "it has none" : `it has ${input.endpoints.join(", ")}`;
    return refused("EndpointMissing", `${object} has no endpoint ${endpoint}; ${known}`);
  }
  if (user === undefined)
    return refused(
      "CreatorUnknown",
      "the webhook of the operator did not record who created the link; create it again",
    );
  if (input.isAllowed !== true) return refused("AccessDenied", `user ${user} cannot get ${object}`);
  if (published === undefined)
    return refused("EndpointNotServed", `endpoint ${endpoint} is not served; see status.endpoints of ${object}`);
  if (input.forUser !== undefined && !input.identifiesUsers) {
    const message = `spec.forUser is ${quoteText(input.forUser)}, but gateways cannot identify users; ${identityAdvice}`;
    return refused("IdentityUnavailable", message);
  }
  if (!input.hasSigner)
    return refused("WaitingForKeys", "the operator has not created a signing key for preview tokens yet");
  return { state: "issued", endpoint: published, user };
}

function refused(reason: PreviewLinkReason, message: string): PreviewLinkDecision {
  return { state: "refused", reason, message };
}
