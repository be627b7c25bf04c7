// Decides how a fork follows changes of its baseline.
//
//   InSync ──baseline changed──▶ Behind ──Follow: settled, interval, fork ready──▶ rebase ──ready──▶ InSync
//                                  │  Notify: the user asks for it                   │
//                                  │  Pin: never                                     └─not ready in time─▶ revert ─▶ Conflict
//                                  └──patches do not apply to the new baseline──▶ Conflict; the fork stays as it is
//
// Annotations of the fork store the state: its source, the time of the rebase, and the previous template. A restarted operator therefore continues a
// rebase. Only the time since which the baseline is unchanged is kept in memory; after a restart the debounce starts over.

import { cutText } from "@homeostat/core";
import { annotations } from "../api/identity.ts";
import type { Drift, EntryState, SandboxReason, ServiceEntry } from "../api/sandbox.ts";
import { messageLengthMax } from "../api/spec-common.ts";
import type { DerivedFork } from "../build/derive-fork.ts";
import type { ForkState, ForkStep } from "../build/fork-state.ts";
import { isRefusal, type Refusal, refusalMessage } from "../build/refusal.ts";
import type { ForkedFrom } from "../build/stored-fork.ts";
import { isRebaseRequested } from "./rebase-request.ts";

/** Delays of rebases. */
export interface DriftSettings {
  /** Time without a change of the baseline before a rebase. */
  readonly debounceMs: number;
  /** Time between two rebases of one fork. */
  readonly minIntervalMs: number;
}

/** Input of {@link decideDrift}. */
export interface DriftInput {
  readonly entry: Pick<ServiceEntry, "name" | "driftPolicy" | "readyTimeoutSeconds">;
  /** State of the fork; undefined before the first start. */
  readonly fork: ForkState | undefined;
  /** State of the fork's pods. Ready only if the pods have the current template of the Deployment, even right after a rebase. */
  readonly state: EntryState;
  /** Time since which the fork should have pods; undefined while it is idle or suspended. */
  readonly awakeSinceMs: number | undefined;
  /** The fork derived from the current baseline; undefined if the baseline does not exist. */
  readonly derived: DerivedFork | Refusal | undefined;
  /** The current baseline; undefined if it does not exist. */
  readonly baseline: ForkedFrom | undefined;
  /** Time at which the current state of the baseline was first observed. */
  readonly baselineSinceMs: number;
  /** Generation of the baseline that the status has recorded. */
  readonly recordedGeneration: number | undefined;
  /** Value of the annotation with which users request a rebase. */
  readonly rebaseRequest: string | undefined;
  readonly settings: DriftSettings;
  readonly nowMs: number;
}

/** The decision about a fork. */
export interface DriftDecision {
  /** The next step; `none` if there is no fork, and none can be derived. */
  readonly step: ForkStep | "none";
  readonly drift: Drift | undefined;
  readonly reason: SandboxReason<"BaselineInSync">;
  readonly message: string;
  /** True if an event must report the change of the baseline. It is recorded once per generation. */
  readonly reportsChange: boolean;
  /** Time after which the decision may change. */
  readonly requeueAfterMs?: number;
}

/** Decides about a fork. The first case that applies decides. */
export function decideDrift(input: DriftInput): DriftDecision {
  const { fork, baseline, derived } = input;
  if (baseline === undefined || derived === undefined) return withoutBaseline(fork);
  if (fork === undefined) return firstStart(derived);
  if (fork.previous !== undefined) return decideRebasing(input, fork, baseline, derived);
  if (!isBehind(fork, baseline)) return inSync(fork, derived);
  const reportsChange = input.recordedGeneration !== baseline.generation;
  if (isRefusal(derived)) {
    if (input.entry.driftPolicy === "Pin") return { ...pinned, reportsChange };
    return conflict("PatchConflict", `Cannot rebase: ${refusalMessage(derived)}`, reportsChange);
  }
  // A changed entry is applied to the current baseline, because the previous state of the baseline no longer exists.
  if (fork.current?.inputHash !== derived.inputHash) return step("update", "InSync", "The entry changed.");
  // The change does not affect the fork, such as a label or a port of a Service.
  if (fork.current.templateHash === derived.templateHash) return step("update", "InSync", "");
  if (fork.failedRebase === baseline.templateHash) return conflict("RebaseFailed", failedText, false);
  return { ...decidePolicy(input, fork, baseline), reportsChange };
}

const failedText =
  "The fork did not become ready on the current baseline and has its previous template again. Change the entry or the baseline.";

/** Reports whether the baseline is not the one that the fork was derived from. A baseline that was created again has another UID. */
function isBehind({ current }: ForkState, baseline: ForkedFrom): boolean {
  const forkedFrom = current?.forkedFrom;
  return forkedFrom?.uid !== baseline.uid || forkedFrom.templateHash !== baseline.templateHash;
}

function withoutBaseline(fork: ForkState | undefined): DriftDecision {
  if (fork === undefined) {
    return {
      step: "none",
      drift: undefined,
      reason: "NoBaseline",
      message: "The baseline does not exist.",
      reportsChange: false,
    };
  }
  const message =
    "The baseline was deleted. The fork stays until the sandbox is deleted or the baseline is created again.";
  return { step: "keep", drift: "Gone", reason: "BaselineGone", message, reportsChange: false };
}

function firstStart(derived: DerivedFork | Refusal): DriftDecision {
  if (!isRefusal(derived)) return step("create", "InSync", "");
  const message = refusalMessage(derived);
  return { step: "none", drift: undefined, reason: "NoBaseline", message, reportsChange: false };
}

function inSync({ current }: ForkState, derived: DerivedFork | Refusal): DriftDecision {
  if (isRefusal(derived)) return step("keep", "InSync", refusalMessage(derived));
  const isCurrent = current?.templateHash === derived.templateHash && current.inputHash === derived.inputHash;
  return isCurrent ? step("keep", "InSync", "") : step("update", "InSync", "");
}

/** Decides about a rebase whose pods are not known to be ready: settle it, roll back to the previous template, or wait. */
function decideRebasing(
  input: DriftInput,
  fork: ForkState,
  baseline: ForkedFrom,
  derived: DerivedFork | Refusal,
): DriftDecision {
  const { state, awakeSinceMs, nowMs, entry } = input;
  if (state === "Ready") return step("settle", isBehind(fork, baseline) ? "Behind" : "InSync", "");
  // The user has changed the entry, perhaps to fix the rebase, so the fork is derived again.
  if (!isRefusal(derived) && fork.current?.inputHash !== derived.inputHash)
    return step("update", "InSync", "The entry changed.");
  const waiting = step("keep", isBehind(fork, baseline) ? "Behind" : "InSync", "Waiting for the rebased fork.");
  if (awakeSinceMs === undefined) return waiting;
  const deadlineMs = Math.max(fork.rebasedAtMs ?? 0, awakeSinceMs) + entry.readyTimeoutSeconds * 1000;
  if (nowMs < deadlineMs) return { ...waiting, requeueAfterMs: deadlineMs - nowMs };
  if (fork.previous?.body !== undefined) return { ...conflict("RebaseFailed", failedText, false), step: "revert" };
  const message =
    "The rebased fork did not become ready, and its previous template was too large to keep. Change the entry or the baseline.";
  return conflict("RebaseFailed", message, false);
}

/** Decides by the policy of the entry about a fork that is behind its baseline. */
function decidePolicy(input: DriftInput, fork: ForkState, baseline: ForkedFrom): DriftDecision {
  const { entry, settings, nowMs, state } = input;
  if (entry.driftPolicy === "Pin") return pinned;
  if (isRebaseRequested(input.rebaseRequest, entry.name, baseline.generation)) return rebase;
  const { generation } = baseline;
  if (entry.driftPolicy === "Notify") {
    const message = `The baseline changed. Set the annotation ${annotations.rebase} of the Sandbox to ${generation} to follow it.`;
    return step("keep", "Behind", message, "BaselineChanged");
  }
  const settledMs = input.baselineSinceMs + settings.debounceMs;
  const intervalMs = fork.rebasedAtMs === undefined ? 0 : fork.rebasedAtMs + settings.minIntervalMs;
  const dueMs = Math.max(settledMs, intervalMs);
  if (nowMs < dueMs) {
    const waiting = step("keep", "Behind", "The baseline changed. A rebase follows.", "BaselineChanged");
    return { ...waiting, requeueAfterMs: dueMs - nowMs };
  }
  if (state === "Ready" || state === "Idle") return rebase;
  return step("keep", "Behind", "The baseline changed. A rebase waits until the fork is ready.", "BaselineChanged");
}

const pinned = step("keep", "Behind", "The baseline changed. The entry is pinned.", "Pinned");

const rebase: DriftDecision = {
  step: "rebase",
  drift: "InSync",
  reason: "InSync",
  message: "The fork was derived again from the current baseline.",
  reportsChange: false,
};

function step(
  name: ForkStep,
  drift: "InSync" | "Behind",
  message: string,
  reason: SandboxReason<"BaselineInSync"> = drift === "InSync" ? "InSync" : "BaselineChanged",
): DriftDecision {
  return { step: name, drift, reason, message, reportsChange: false };
}

function conflict(reason: "PatchConflict" | "RebaseFailed", message: string, reportsChange: boolean): DriftDecision {
  return { step: "keep", drift: "Conflict", reason, message: cutText(message, messageLengthMax), reportsChange };
}

/** Reports whether routes to a fork are kept although its baseline was deleted, because a Service of the baseline still exists. */
export function keepsRoutes(drift: Drift | undefined, baselineServices: number): boolean {
  return drift !== "Gone" || baselineServices > 0;
}
