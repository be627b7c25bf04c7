// What keeps the pods of a component from running, as pods and claims tell it.

import { type DeepReadonly, parseTime } from "@homeostat/core";
import type { ContainerStatus, PersistentVolumeClaim, Pod } from "@homeostat/kubernetes/core/v1";
import type { ComponentReason, Obstacle } from "../status/component.ts";

/** What waits longer than this for a node or for storage has failed. */
export const patienceMs = 300_000;

/** A container that was restarted so often will not get over it. */
const restartsMax = 5;

/** An obstacle, and whether the component can get over it by itself. */
export interface PodObstacle extends Obstacle {
  readonly isBlocking: boolean;
}

/** What keeps pods from running: the worst of it; undefined when nothing is known to. */
export function podObstacle(
  pods: readonly DeepReadonly<Pod>[],
  claims: readonly DeepReadonly<PersistentVolumeClaim>[],
  now: number,
): PodObstacle | undefined {
  const found = [
    ...pods.flatMap(({ status }) => (status?.containerStatuses ?? []).flatMap((each) => [...inContainer(each)])),
    ...claims.flatMap((claim) => [...inClaim(claim, now)]),
    ...pods.flatMap((pod) => [...inPod(pod, now)]),
  ];
  return found.find(({ isBlocking }) => isBlocking) ?? found[0];
}

/** What a container that cannot start says. */
const waitingReasons: Readonly<Record<string, ComponentReason>> = {
  ImagePullBackOff: "ImagePull",
  ErrImagePull: "ImagePull",
  InvalidImageName: "ImagePull",
  ErrImageNeverPull: "ImagePull",
  CreateContainerConfigError: "MissingReference",
  CreateContainerError: "MissingReference",
};

function* inContainer({ name, state, restartCount }: DeepReadonly<ContainerStatus>): Generator<PodObstacle> {
  const waiting = state?.waiting;
  if (waiting?.reason === undefined) return;
  const { reason: word, message = "" } = waiting;
  const told = `container ${name}: ${message === "" ? word : message}`;
  if (word === "CrashLoopBackOff") {
    const note = `container ${name} ends again and again (${restartCount} restarts)`;
    yield { reason: "CrashLoop", message: note, isBlocking: restartCount >= restartsMax };
    return;
  }
  const reason = Object.hasOwn(waitingReasons, word) ? waitingReasons[word] : undefined;
  // The first refusal of a registry may be a hiccup: it is the next that counts.
  if (reason !== undefined) yield { reason, message: told, isBlocking: word !== "ErrImagePull" };
}

function* inClaim({ metadata, status }: DeepReadonly<PersistentVolumeClaim>, now: number): Generator<PodObstacle> {
  if (status?.phase === "Bound") return;
  const isBlocking = isOlder(metadata.creationTimestamp, now);
  yield { reason: "StorageNotBound", message: `claim ${metadata.name ?? ""} has no volume`, isBlocking };
}

function* inPod({ metadata, status }: DeepReadonly<Pod>, now: number): Generator<PodObstacle> {
  const scheduled = status?.conditions?.find(({ type }) => type === "PodScheduled");
  if (scheduled?.status !== "False") return;
  const message = `pod ${metadata.name ?? ""} has no node: ${scheduled.message ?? "it cannot be scheduled"}`;
  const isBlocking = isOlder(scheduled.lastTransitionTime ?? metadata.creationTimestamp, now);
  yield { reason: "Provisioning", message, isBlocking };
}

function isOlder(time: string | undefined, now: number): boolean {
  return time !== undefined && now - parseTime(time) >= patienceMs;
}
