// Maps problems of pods and workloads to the reasons of a component's condition.

import { type DeepReadonly, type PodProblem, type PodProblemReason, podProblems } from "homeostat";
import type { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import type { Event, PersistentVolumeClaim, Pod } from "@homeostat/kubernetes/core/v1";
import type { ComponentProblem, ComponentReason } from "../status/component.ts";

/** Reasons by problem. Problems that are not listed resolve themselves, or appear together with a listed one. */
const reasons: Partial<Record<PodProblemReason, ComponentReason>> = {
  ImagePull: "ImagePull",
  MissingReference: "MissingReference",
  InvalidConfiguration: "MissingReference",
  StartFailed: "MissingReference",
  CrashLoop: "CrashLoop",
  Volume: "StorageNotBound",
  Unschedulable: "Provisioning",
};

/** A problem; `isBlocking` if it stays until a user resolves it. */
export interface BlockingProblem extends ComponentProblem {
  readonly isBlocking: boolean;
}

/**
 * Returns the first blocking problem of pods and claims, or else the first one.
 *
 * Unschedulable pods come last: if a volume is missing, it is the cause, and the pod without a node only the effect.
 */
export function podProblem(
  pods: readonly DeepReadonly<Pod>[],
  claims: readonly DeepReadonly<PersistentVolumeClaim>[],
  now: number,
): BlockingProblem | undefined {
  const isLast = ({ reason }: PodProblem): number => Number(reason === "Unschedulable");
  const found = podProblems({ pods, claims, now })
    .toSorted((a, b) => isLast(a) - isLast(b))
    .flatMap(({ reason, sentence: message, isBlocking }): BlockingProblem[] => {
      const known = reasons[reason];
      return known === undefined ? [] : [{ reason: known, message, isBlocking }];
    });
  return found.find(({ isBlocking }) => isBlocking) ?? found[0];
}

/** Returns why a Deployment makes no progress, from its conditions. */
export function deploymentProblem(server: DeepReadonly<Deployment> | undefined): ComponentProblem | undefined {
  const [problem] = podProblems({ pods: [], workloads: server === undefined ? [] : [server], now: 0 });
  if (problem === undefined) return undefined;
  const message = problem.detail ?? problem.sentence;
  if (problem.reason === "ProgressDeadlineExceeded") return { reason: problem.reason, message };
  return problemOfRefusal(problem.refusal, message) ?? { reason: "ReconcileError", message };
}

/** Returns why the API server rejects the pods of a StatefulSet, from its events. */
export function refusedPods(
  redis: DeepReadonly<StatefulSet>,
  events: readonly DeepReadonly<Event>[],
): ComponentProblem | undefined {
  const [problem] = podProblems({ pods: [], workloads: [redis], events, now: 0 });
  return problemOfRefusal(problem?.refusal, problem?.detail ?? "");
}

/** Returns the problem that a quota or Pod Security causes; undefined for any other refusal. */
export function problemOfRefusal(
  refusal: { readonly reason: string; readonly deniedBy?: { readonly name: string } } | undefined,
  message: string,
): ComponentProblem | undefined {
  if (refusal?.reason === "QuotaExceeded") return { reason: "QuotaExceeded", message };
  return refusal?.deniedBy?.name === "PodSecurity" ? { reason: "PodSecurity", message } : undefined;
}
