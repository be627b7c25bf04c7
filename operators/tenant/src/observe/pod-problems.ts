// Why the pods of a component do not become ready, from pods and claims.

import type { DeepReadonly } from "homeostat";
import { parseTime } from "@homeostat/core";
import type { ContainerStatus, PersistentVolumeClaim, Pod } from "@homeostat/kubernetes/core/v1";
import type { ComponentProblem, ComponentReason } from "../status/component.ts";

/** A pod without a node, or a claim without a volume, has failed after this time. */
export const waitMaxMs = 300_000;

/** A container that crashed this often is not expected to recover. */
const restartsMax = 5;

/** A problem, and whether the component can recover from it on its own. */
export interface PodProblem extends ComponentProblem {
  readonly isBlocking: boolean;
}

/** Returns the first blocking problem, or else the first one. */
export function podProblem(
  pods: readonly DeepReadonly<Pod>[],
  claims: readonly DeepReadonly<PersistentVolumeClaim>[],
  now: number,
): PodProblem | undefined {
  const found = [
    ...pods.flatMap(({ status }) => (status?.containerStatuses ?? []).flatMap((each) => [...ofContainer(each)])),
    ...claims.flatMap((claim) => [...ofClaim(claim, now)]),
    ...pods.flatMap((pod) => [...ofScheduling(pod, now)]),
  ];
  return found.find(({ isBlocking }) => isBlocking) ?? found[0];
}

const waitingReasons: Readonly<Record<string, ComponentReason>> = {
  ImagePullBackOff: "ImagePull",
  ErrImagePull: "ImagePull",
  InvalidImageName: "ImagePull",
  ErrImageNeverPull: "ImagePull",
  CreateContainerConfigError: "MissingReference",
  CreateContainerError: "MissingReference",
};

function* ofContainer({ name, state, restartCount }: DeepReadonly<ContainerStatus>): Generator<PodProblem> {
  const { reason: waiting, message = "" } = state?.waiting ?? {};
  if (waiting === undefined) return;
  if (waiting === "CrashLoopBackOff") {
    const message = `container ${name} crashes repeatedly (${restartCount} restarts)`;
    yield { reason: "CrashLoop", message, isBlocking: restartCount >= restartsMax };
    return;
  }
  const reason = Object.hasOwn(waitingReasons, waiting) ? waitingReasons[waiting] : undefined;
  if (reason === undefined) return;
  // The first failed pull may be transient: the kubelet retries before it reports ImagePullBackOff.
  const isBlocking = waiting !== "ErrImagePull";
  yield { reason, message: `container ${name}: ${message === "" ? waiting : message}`, isBlocking };
}

function* ofClaim({ metadata, status }: DeepReadonly<PersistentVolumeClaim>, now: number): Generator<PodProblem> {
  if (status?.phase === "Bound") return;
  const isBlocking = isOverdue(metadata.creationTimestamp, now);
  yield { reason: "StorageNotBound", message: `claim ${metadata.name ?? ""} has no volume`, isBlocking };
}

function* ofScheduling({ metadata, status }: DeepReadonly<Pod>, now: number): Generator<PodProblem> {
  const scheduled = status?.conditions?.find(({ type }) => type === "PodScheduled");
  if (scheduled?.status !== "False") return;
  const message = `pod ${metadata.name ?? ""} has no node: ${scheduled.message ?? "it cannot be scheduled"}`;
  const isBlocking = isOverdue(scheduled.lastTransitionTime ?? metadata.creationTimestamp, now);
  yield { reason: "Provisioning", message, isBlocking };
}

function isOverdue(since: string | undefined, now: number): boolean {
  return since !== undefined && now - parseTime(since) >= waitMaxMs;
}
