// The canary of a stateful tier: a few pods restart first and are observed before the others follow.
//
//   rolling (fewer pods than the canary count are updated) -> baking -> passed
//                                                                    -> failed (the former pod template is applied again)
//
// The state is derived from the pods: once more pods than the canary count are updated, the canary has passed. Only a failure is recorded in the
// status, because a failed canary pod may recover later.

import type { StatefulComponent } from "../api/identity.ts";
import type { ObservedTier, PreviousStatus } from "../observe/observed.ts";
import { isAvailable, type Readiness } from "./members.ts";

/** The canary strategy of the spec. */
export interface CanaryPolicy {
  readonly controller: number;
  readonly ingest: number;
  readonly bakeSeconds: number;
  readonly maxRestarts: number;
}

/** Input of {@link canaryState}. */
export interface CanaryInput extends Readiness {
  readonly component: StatefulComponent;
  readonly tier: ObservedTier;
  readonly canary: CanaryPolicy | undefined;
  readonly progressDeadlineSeconds: number;
  readonly previous: Pick<PreviousStatus, "canary">;
  /** Revision that the user has approved. */
  readonly approvedRevision: string | undefined;
}

export type CanaryState =
  | { readonly type: "off" | "rolling" | "passed" }
  /** `since` is the time at which the last canary pod became ready; both are undefined while a canary pod is not. */
  | { readonly type: "baking"; readonly since: number | undefined; readonly until: number | undefined }
  | { readonly type: "failed"; readonly reason: "PodNotReady" | "PodRestarted"; readonly message: string };

/** Returns the state of the canary of a tier. */
export function canaryState(input: CanaryInput): CanaryState {
  const { component, tier, canary, previous, approvedRevision, now } = input;
  const { set, members } = tier;
  if (canary === undefined || set === undefined) return { type: "off" };
  const count = Math.min(canary[component], set.replicas - 1);
  const updated = members.filter(({ revision }) => revision === set.updateRevision);
  // Without outdated pods there is no rollout. Without a count, or with a single pod, there is nothing to compare with.
  if (count <= 0 || updated.length === members.length) return { type: "off" };
  const { failedRevision, component: failedComponent } = previous.canary ?? {};
  if (failedComponent === component && failedRevision === set.updateRevision) {
    const message = `the canary of revision ${set.updateRevision} has failed; change the spec`;
    return { type: "failed", reason: "PodNotReady", message };
  }
  if (updated.length < count) return { type: "rolling" };
  if (updated.length > count) return { type: "passed" };
  const restarted = updated.find(({ restarts }) => restarts > canary.maxRestarts);
  if (restarted !== undefined) {
    const message = `${restarted.podName} has restarted ${restarted.restarts} times; at most ${canary.maxRestarts} are allowed`;
    return { type: "failed", reason: "PodRestarted", message };
  }
  const late = updated.find(
    ({ unreadySince }) => unreadySince !== undefined && now - unreadySince > input.progressDeadlineSeconds * 1_000,
  );
  if (late !== undefined)
    return { type: "failed", reason: "PodNotReady", message: `${late.podName} did not become ready in time` };
  if (!updated.every((member) => isAvailable(member, input)))
    return { type: "baking", since: undefined, until: undefined };
  const since = Math.max(...updated.map(({ readySince = now }) => readySince));
  const until = since + canary.bakeSeconds * 1_000;
  return until <= now || approvedRevision === set.updateRevision
    ? { type: "passed" }
    : { type: "baking", since, until };
}
