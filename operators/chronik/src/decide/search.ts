// The search tier. Search nodes keep no data of their own, so a Deployment restarts them; this decides when it gets a new pod template, and how a
// blue-green update proceeds:
//
//   idle color applied with the new template -> all its pods ready -> Service switched -> rollbackSeconds -> former color removed
//
// A rollback within that time is the same procedure: the former Deployment still has the former template and is ready, so only the Service switches.

import { type StatefulComponent, statefulComponents } from "../api/identity.ts";
import { isObserved, outdatedMembers } from "./members.ts";
import type { ClosedGate, RolloutInput } from "./gates.ts";
import { isQuorumHealthy } from "./quorum.ts";
import { windowState } from "./windows.ts";
import type { Observed, ObservedDeployment, SearchColor } from "../observe/observed.ts";

/** Input of decisions about the search tier. */
export interface SearchInput extends Omit<RolloutInput, "observed"> {
  readonly observed: RolloutInput["observed"] & Pick<Observed, "search">;
  readonly strategy: "Rolling" | "BlueGreen";
  readonly rollbackSeconds: number;
  /** Desired number of search nodes. */
  readonly replicas: number;
  /** Hash of the desired pod template. */
  readonly templateHash: string;
  /** Hashes of the desired pod templates of the StatefulSets. */
  readonly memberTemplateHashes: Readonly<Record<StatefulComponent, string>>;
}

export type SearchStep =
  /** The search tier is as desired. */
  | { readonly type: "none" }
  /** Apply a Deployment with the desired template. `isSurge`: it is a second Deployment in addition to the active one. */
  | { readonly type: "apply"; readonly color: SearchColor; readonly replicas: number; readonly isSurge: boolean }
  /** A new template waits. Apply the active Deployment with its current template, so that it still scales. */
  | { readonly type: "hold"; readonly color: SearchColor; readonly closed: ClosedGate }
  | { readonly type: "wait"; readonly color: SearchColor; readonly reason: string; readonly until?: number | undefined }
  /** Switch the Service to a Deployment whose pods are ready. */
  | { readonly type: "switch"; readonly color: SearchColor }
  /** Delete a Deployment that clients no longer use. */
  | { readonly type: "remove"; readonly color: SearchColor };

/** Decides the next step of the search tier. `replicas` must be positive: without search nodes, all search objects are pruned. */
export function decideSearch(input: SearchInput): SearchStep {
  const { observed, strategy, templateHash, replicas } = input;
  const { deployments, activeColor } = observed.search;
  const found = (color: SearchColor): ObservedDeployment | undefined => deployments.find((one) => one.color === color);
  const active = activeColor === undefined ? undefined : found(activeColor);
  if (active === undefined) {
    const color = strategy === "BlueGreen" ? "blue" : "plain";
    const present = deployments[0];
    // The Service was deleted: switch it to the Deployment that exists.
    if (present !== undefined) return { type: "switch", color: present.color };
    return { type: "apply", color, replicas, isSurge: false };
  }
  const isRightKind = (strategy === "BlueGreen") === (active.color !== "plain");
  if (isRightKind && active.templateHash === templateHash) return settle(input, active);
  const closed = firstClosedSearchGate(input, active);
  if (closed !== undefined) return { type: "hold", color: active.color, closed };
  if (strategy === "Rolling" && isRightKind) return { type: "apply", color: "plain", replicas, isSurge: false };
  const idle = strategy === "Rolling" ? "plain" : active.color === "blue" ? "green" : "blue";
  return surge(input, idle, found(idle));
}

/** Brings up the second Deployment, then switches to it. */
function surge(input: SearchInput, color: SearchColor, idle: ObservedDeployment | undefined): SearchStep {
  const { templateHash, replicas } = input;
  if (idle === undefined || idle.templateHash !== templateHash || idle.desiredReplicas !== replicas)
    return { type: "apply", color, replicas, isSurge: true };
  if (isComplete(idle, replicas)) return { type: "switch", color };
  const problem = idle.isDeadlineExceeded ? " and exceed the progress deadline" : "";
  const reason = `${idle.readyReplicas} of ${replicas} pods of ${color} are ready${problem}`;
  return { type: "wait", color, reason };
}

/** Scales the active Deployment, and removes the former one after the time for a rollback. */
function settle(input: SearchInput, active: ObservedDeployment): SearchStep {
  const { observed, replicas, rollbackSeconds, now } = input;
  if (active.desiredReplicas !== replicas) return { type: "apply", color: active.color, replicas, isSurge: false };
  const former = observed.search.deployments.find(({ color }) => color !== active.color);
  if (former === undefined) return { type: "none" };
  const until = (observed.previous.searchSwitchedAt ?? 0) + rollbackSeconds * 1_000;
  if (now < until)
    return { type: "wait", color: former.color, reason: `${former.color} is kept for a rollback`, until };
  return { type: "remove", color: former.color };
}

function isComplete(deployment: ObservedDeployment, replicas: number): boolean {
  const { generation, observedGeneration, updatedReplicas, readyReplicas } = deployment;
  return observedGeneration >= generation && updatedReplicas >= replicas && readyReplicas >= replicas;
}

/** Returns why the search tier may not get a new template yet; undefined if it may. */
export function firstClosedSearchGate(input: SearchInput, active: ObservedDeployment): ClosedGate | undefined {
  const { observed, policy, quorum, permission, now } = input;
  // Without a ready pod there is nothing to disrupt, and the new template may be the repair.
  if (active.readyReplicas === 0) return undefined;
  if (policy.type === "Manual") return { gate: "Manual", message: "updateStrategy.type is Manual" };
  const window = windowState(policy.windows, now);
  if (!window.isOpen) return { gate: "Window", message: "no maintenance window is open", opensAt: window.opensAt };
  if (!permission.isAllowed) return { gate: "RolloutLimit", message: permission.message };
  for (const component of statefulComponents) {
    // This reconcile writes the new template of the StatefulSet, or its controller has not observed it: its pods are not outdated yet.
    const { set } = observed[component];
    if (!isObserved(set) || set.templateHash !== input.memberTemplateHashes[component])
      return { gate: "TierOrder", message: `the StatefulSet of ${component} is about to change` };
    const { length } = outdatedMembers(component, observed[component], { claims: observed.claims, now });
    if (length > 0) return { gate: "TierOrder", message: `${length} pods of ${component} are outdated` };
  }
  if (!isQuorumHealthy(quorum)) return { gate: "TierOrder", message: "the controllers have no healthy quorum" };
  return undefined;
}
