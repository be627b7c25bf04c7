import { type AdmissionWebhook, validatingWebhook } from "homeostat";
import { quoteText } from "@homeostat/core";
import { invalidField } from "@homeostat/schema";
import { durationSeconds } from "../api/duration.ts";
import { type CachedPreviewLink, PreviewLink } from "../api/preview-link.ts";
import { RouteGroup } from "../api/route-group.ts";
import { Sandbox } from "../api/sandbox.ts";
import { tokenSecondsMax } from "../decide/preview-keys.ts";
import { identityAdvice } from "../decide/preview-link.ts";
import { identifiesUsers } from "../settings/config.ts";
import { denial } from "../policy/denials.ts";
import { type ObjectProblem, problemOf } from "../validation/problem.ts";
import {
  type Change,
  changesSpec,
  findingsOf,
  nothingToCheck,
  type ObjectCheck,
  type WebhookTools,
} from "./admission.ts";
import { withinDeadline } from "./bounded.ts";
import { creatorProblems } from "./creator-webhooks.ts";

/** Builds the webhook that refuses PreviewLinks of users who may not get the Sandbox or RouteGroup. */
export function previewLinkWebhook(tools: WebhookTools): AdmissionWebhook {
  return validatingWebhook({
    for: PreviewLink,
    async *validate(object, old, context) {
      yield* findingsOf(await checkPreviewLink({ object, old, context }, tools));
    },
  });
}

async function checkPreviewLink(change: Change<CachedPreviewLink>, tools: WebhookTools): Promise<ObjectCheck> {
  const { object, old, context } = change;
  const creator = creatorProblems(object, old);
  if (!changesSpec(change)) return { ...nothingToCheck, problems: creator };
  const { targetRef, expires, forUser } = object.spec;
  const problems: ObjectProblem[] = [...creator];
  if ((durationSeconds(expires) ?? 0) > tokenSecondsMax)
    problems.push(problemOf("LifetimeTooLong", invalidField("spec.expires", expires, "must be at most 28d")));
  if (forUser !== undefined && !identifiesUsers(tools.config())) {
    const advice = `gateways cannot identify users; ${identityAdvice}`;
    problems.push(problemOf("IdentityUnavailable", invalidField("spec.forUser", forUser, advice)));
  }
  const type = targetRef.kind === "Sandbox" ? Sandbox : RouteGroup;
  const { username, uid, groups, extra } = context.user;
  const access = { verb: "get", type, namespace: context.namespace, name: targetRef.name };
  const { isAllowed } = await withinDeadline({ ...tools, signal: context.signal }, async (signal) =>
    tools.reader.review({ user: username, uid, groups, extra }, access, { signal }),
  );
  if (!isAllowed) {
    const message = `user ${quoteText(username)} cannot get ${targetRef.kind} ${quoteText(targetRef.name)} in namespace ${quoteText(context.namespace)}; request permission to get it`;
    problems.push(denial("spec.targetRef", "TargetAccessDenied", message));
  }
  return { ...nothingToCheck, problems };
}
