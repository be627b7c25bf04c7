// The status of a failed reconcile.

import type { StatusPlan } from "homeostat";
import { findCondition, formatTime } from "@homeostat/core";
import type { ChronikCluster, LastError } from "../api/chronik-cluster.ts";
import type { ErrorReason } from "../api/status.ts";
import { decidePhase } from "../decide/phase.ts";
import { type Times, withLastUpdated } from "./last-updated.ts";
import type { Fields } from "./status-input.ts";

/** A failed reconcile, for the status. */
export interface FailureInput extends Times {
  readonly failure: Pick<LastError, "class" | "reason" | "message" | "step" | "object">;
  readonly reason: ErrorReason;
  readonly correlationId: string;
  readonly isDeleted: boolean;
  /** Counts of members; empty if the spec is not valid. */
  readonly counts: Fields;
}

/** Derives the status of a failed reconcile. Only a changed error is content: its count and times are not. */
export function deriveFailure(input: FailureInput): StatusPlan<ChronikCluster> {
  const { failure, reason, previous, now, generation, correlationId, isDeleted } = input;
  const { phase } = decidePhase({
    isDeleted,
    errorClass: failure.class,
    isPaused: false,
    arePrerequisitesMissing: false,
    hasWorkloads: true,
    components: {},
    isRestarting: false,
    isResizing: false,
    previous: { phase: previous.phase, initialized: previous.initialized ?? false },
  });
  const before = previous.lastError;
  const isSame =
    before?.reason === failure.reason && before.message === failure.message && before.step === failure.step;
  const time = formatTime(now);
  const lastError: LastError = isSame
    ? { ...before }
    : { ...failure, count: 1, firstSeen: time, lastSeen: time, correlationId };
  const isInvalid = failure.reason === "ValidationFailed";
  const { message } = failure;
  const hasReady = findCondition(previous.conditions ?? [], "Ready") !== undefined;
  const isNotCreated = previous.initialized !== true && (failure.class === "Permanent" || !hasReady);
  return withLastUpdated(
    {
      fields: {
        // The list of clusters shows these columns.
        ...(previous.summary === undefined && input.counts),
        phase,
        lastError,
        ...(isInvalid && { observedGeneration: generation }),
      },
      conditions: {
        ReconcileSucceeded: { status: false, reason, message },
        ...(isInvalid && { SpecValid: { status: false, reason: "ValidationFailed", message } }),
        ...((isInvalid || (isNotCreated && !isDeleted)) && { Ready: { status: false, reason, message } }),
      },
    },
    { now, previous, generation },
  );
}
