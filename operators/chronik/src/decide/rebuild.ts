// Rebuild of a member on an empty disk, on request of a user: the claim and the pod are deleted. A rebuilt controller returns with a new incarnation;
// `scale-controllers.ts` then removes the former voter and adds the new one.

import type { StatefulComponent } from "../api/identity.ts";
import type { ObservedClaim, ObservedTier } from "../observe/observed.ts";
import { isAvailable, isObserved, missingOrdinals, type Readiness } from "./members.ts";
import { majorityOf, type QuorumState } from "./quorum.ts";

/** Input of {@link decideRebuild}. */
export interface RebuildInput extends Readiness {
  readonly component: StatefulComponent;
  readonly tier: ObservedTier;
  readonly claims: readonly ObservedClaim[];
  readonly quorum: QuorumState;
}

export type RebuildStep =
  | { readonly type: "none" }
  | {
      readonly type: "refused";
      readonly component: StatefulComponent;
      readonly podName: string;
      readonly message: string;
    }
  | {
      readonly type: "rebuild";
      readonly component: StatefulComponent;
      readonly podName: string;
      readonly uid: string;
      /** The claim to delete first; undefined if it is already deleted. */
      readonly claim: { readonly name: string; readonly uid: string } | undefined;
    };

/** Decides whether a requested rebuild is safe now: the member is down, and all others are up and keep the quorum. */
export function decideRebuild(input: RebuildInput): RebuildStep {
  const { component, tier, claims, quorum } = input;
  const member = tier.members.find(({ isRebuildRequested, isTerminating }) => isRebuildRequested && !isTerminating);
  if (member === undefined) return { type: "none" };
  const { podName, uid, ordinal } = member;
  const refuse = (message: string): RebuildStep => ({ type: "refused", component, podName, message });
  if (member.readySince !== undefined) return refuse(`${podName} is ready; only a pod that is not ready is rebuilt`);
  if (!isObserved(tier.set)) return refuse("the StatefulSet is not observed yet");
  const down = tier.members.find((one) => one.uid !== uid && !isAvailable(one, input));
  const [missing] = missingOrdinals(tier);
  if (down !== undefined) return refuse(`${down.podName} is not ready either`);
  if (missing !== undefined) return refuse(`ordinal ${missing} has no pod`);
  if (component === "controller") {
    if (quorum.source === "unknown") return refuse(quorum.reason);
    const others = [...quorum.live].filter((one) => one !== ordinal).length;
    // No exception for small clusters: without a majority, the data of the quorum would be lost with the disk.
    const needed = majorityOf(quorum.size);
    if (others < needed) return refuse(`${others} voters would be left, and the majority is ${needed}`);
  }
  const found = claims.find((one) => one.component === component && one.ordinal === ordinal && !one.isTerminating);
  const claim = found === undefined ? undefined : { name: found.name, uid: found.uid };
  return { type: "rebuild", component, podName, uid, claim };
}
