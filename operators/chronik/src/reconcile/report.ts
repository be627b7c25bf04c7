// Events about changes between the former status and the new one.

import { describeGate } from "../decide/plan.ts";
import { isQuorumHealthy } from "../decide/quorum.ts";
import type { DerivedStatus } from "../status/status.ts";
import type { StatusInput } from "../status/status-input.ts";
import type { ClusterContext } from "./cluster-context.ts";
import { events } from "./events.ts";

/** Records the events that follow from a new status. */
export function reportChanges(
  context: ClusterContext,
  input: StatusInput,
  { plan: { fields }, phase: { phase } }: DerivedStatus,
): void {
  const { status } = context;
  const { decision, missing, warnings, certificate } = input;
  const { shownQuorum } = decision;
  if (context.condition("ReconciliationPaused")?.status === "True") context.event(events.resumed);
  if (phase === "Running" && status.phase !== "Running") context.event(events.running);
  if (status.rollout?.startedAt !== undefined && fields?.rollout?.startedAt === undefined)
    context.event(events.rolloutComplete);
  if (warnings.length > 0) context.eventOnce(events.specWarning(warnings.map(({ message }) => message).join("; ")));
  if (missing.length > 0) context.eventOnce(events.prerequisiteMissing(missing.join("; ")));
  reportSearchScale(context, input);
  reportBlocks(context, input);
  if (
    context.condition("QuorumHealthy")?.status === "True" &&
    shownQuorum.source !== "unknown" &&
    !isQuorumHealthy(shownQuorum)
  )
    context.event(events.quorumLost(`${shownQuorum.live.size} of ${shownQuorum.size} voters are ready`));
  const late = decision.rollouts.flatMap(({ progress }) => progress.latePods);
  if (late.length > 0 && context.condition("Progressing")?.reason !== "ProgressDeadlineExceeded")
    context.event(events.progressDeadlineExceeded(late.join(", ")));
  if (
    certificate !== undefined &&
    certificate.decision.reason !== "Valid" &&
    // The event PrerequisiteMissing reports the Secret.
    certificate.decision.reason !== "SecretMissing" &&
    context.condition("CertificateValid")?.reason !== certificate.decision.reason
  )
    context.event(events.certificate(certificate.decision.reason, certificate.decision.message));
}

/** Reports a new number of search nodes. Changes of the other components are steps of their own. */
function reportSearchScale(context: ClusterContext, { desired, previous }: StatusInput): void {
  const before = previous.desiredReplicas?.searchNodes;
  const { search: now } = desired;
  if (previous.initialized !== true || before === undefined || before === now) return;
  const what = `search from ${before} to ${now}`;
  context.event(now > before ? events.scaledUp(what) : events.scaledDown(what));
}

/** Gates that open by themselves after a pod is ready or a time has passed; they are part of every rollout. */
const usual: ReadonlySet<string> = new Set([
  "Observed",
  "TierOrder",
  "Terminating",
  "NewPodNotReady",
  "Delay",
  "Scaling",
]);

function reportBlocks(context: ClusterContext, { decision, refusedByBudget }: StatusInput): void {
  const { status } = context;
  for (const { component, closed, outdated } of decision.rollouts) {
    const gate =
      refusedByBudget?.restart.component === component
        ? ({ gate: "Budget", message: refusedByBudget.message } as const)
        : closed;
    const before = status.rollout?.components?.find((one) => one.component === component)?.blockedBy;
    if (outdated > 0 && gate !== undefined && gate.gate !== before && !usual.has(gate.gate))
      context.event(events.rolloutBlocked(component, describeGate(gate)));
  }
  const block = decision.scaleDownBlock;
  if (block !== undefined && context.condition("ScaleDownBlocked")?.reason !== block.reason)
    context.event(events.scaleDownBlocked(block.message));
  if (decision.refusedRebuild !== undefined) context.eventOnce(events.rebuildRefused(decision.refusedRebuild.message));
}
