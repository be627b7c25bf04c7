// The state of a fork in the annotations of its Deployment, and the Deployment for each step of the drift decision.

import { formatTime, tryParseTime, withoutUndefined } from "@homeostat/core";
import type { DeepReadonly } from "homeostat";
import type { Deployment } from "@homeostat/kubernetes/apps/v1";
import { buildDeployment, type DerivedFork, type ForkPlace } from "./derive-fork.ts";
import { forkAnnotations } from "./metadata.ts";
import { packFork, readStoredFork, type StoredFork } from "./stored-fork.ts";
import type { ForkDeployment } from "./unpatched-fork.ts";

/** State of a fork in the annotations of its Deployment. */
export interface ForkState {
  /** The fork as it was applied last; undefined if the annotation is missing or invalid. */
  readonly current: StoredFork | undefined;
  /** The fork before a rebase whose pods have not become ready yet. */
  readonly previous: StoredFork | undefined;
  readonly rebasedAtMs: number | undefined;
  /** Hash of the baseline to which the last rebase failed. */
  readonly failedRebase: string | undefined;
}

/** Reads the state of a fork. */
export function readForkState(fork: DeepReadonly<Deployment>): ForkState {
  const annotations = fork.metadata.annotations ?? {};
  return {
    current: readStoredFork(annotations[forkAnnotations.storedFork]),
    previous: readStoredFork(annotations[forkAnnotations.previousFork]),
    rebasedAtMs: tryParseTime(annotations[forkAnnotations.rebasedAt]),
    failedRebase: annotations[forkAnnotations.failedRebase],
  };
}

/**
 * The next step for a fork.
 *
 * - `create`: apply the derived fork for the first time.
 * - `keep`: leave the template as it is. Replicas and Services may still change.
 * - `update`: apply the derived fork, because the entry or the settings have changed.
 * - `rebase`: apply the derived fork, and keep the current one until the fork is ready.
 * - `settle`: drop the previous fork, because the rebase has succeeded.
 * - `revert`: apply the previous fork, and record the baseline to which the rebase failed.
 */
export type ForkStep = "create" | "keep" | "update" | "rebase" | "settle" | "revert";

/** Input of {@link forkAtStep}. */
export interface StepInput {
  readonly place: ForkPlace;
  /** The fork in the cluster; undefined before the first start. */
  readonly live: DeepReadonly<Deployment> | undefined;
  readonly replicas: number;
  /** The fork derived from the current baseline. Required for `create`, `update` and `rebase`. */
  readonly derived: DerivedFork | undefined;
  /** Hash of the current baseline, for `revert`. */
  readonly baselineHash: string | undefined;
  readonly nowMs: number;
}

/**
 * Builds the Deployment of a step. Returns undefined if the template to apply is not known: the Deployment then stays as it is, except
 * for its replicas.
 */
export function forkAtStep(step: ForkStep, input: StepInput): ForkDeployment | undefined {
  const { derived, live, nowMs, baselineHash } = input;
  const before = live?.metadata.annotations ?? {};
  const rebasedAt = before[forkAnnotations.rebasedAt];
  const storedText = before[forkAnnotations.storedFork];
  const previousText = before[forkAnnotations.previousFork];
  const failedRebase = before[forkAnnotations.failedRebase];
  switch (step) {
    case "create":
    case "update":
      return derived && build(input, derived, { storedFork: packFork(derived), rebasedAt });
    case "rebase": {
      if (derived === undefined) return undefined;
      const previousFork = storedText ?? packFork({ ...unknownFork, forkedFrom: derived.forkedFrom });
      return build(input, derived, { storedFork: packFork(derived), previousFork, rebasedAt: formatTime(nowMs) });
    }
    case "settle":
      return build(input, readStoredFork(storedText), { storedFork: storedText, rebasedAt });
    case "keep":
      return build(input, readStoredFork(storedText), {
        storedFork: storedText,
        previousFork: previousText,
        rebasedAt,
        failedRebase,
      });
    case "revert":
      return build(input, readStoredFork(previousText), {
        storedFork: previousText,
        rebasedAt,
        failedRebase: baselineHash,
      });
  }
}

/** Placeholder for a fork whose annotation is missing. A rebase of such a fork cannot be reverted. */
const unknownFork = { templateHash: "", inputHash: "", body: undefined };

/** Values of annotations, by their short names. */
type StateTexts = { readonly [name in Exclude<keyof typeof forkAnnotations, "templateHash">]?: string | undefined };

function build(
  { place, replicas }: StepInput,
  fork: Pick<StoredFork, "templateHash" | "body"> | undefined,
  { storedFork, previousFork, rebasedAt, failedRebase }: StateTexts,
): ForkDeployment | undefined {
  if (fork?.body === undefined) return undefined;
  const { body, templateHash } = fork;
  const own = withoutUndefined({
    [forkAnnotations.templateHash]: templateHash,
    [forkAnnotations.storedFork]: storedFork,
    [forkAnnotations.previousFork]: previousFork,
    [forkAnnotations.rebasedAt]: rebasedAt,
    [forkAnnotations.failedRebase]: failedRebase,
  });
  return buildDeployment(place, { ...body, spec: { ...body.spec, replicas } }, own);
}
