import type { Component } from "../api/identity.ts";
import type { ErrorClass, Phase } from "../api/status.ts";
import type { PreviousStatus } from "../observe/observed.ts";

/** The progress of one component. */
export interface ComponentProgress {
  /** True if the controller of the workload has observed its latest generation. */
  readonly isObserved: boolean;
  readonly desired: number;
  readonly replicas: number;
  readonly ready: number;
  readonly updated: number;
}

/** Input of {@link decidePhase}. */
export interface PhaseInput {
  readonly isDeleted: boolean;
  /** Class of the error that ended the reconcile. Missing prerequisites are not an error here. */
  readonly errorClass: ErrorClass | undefined;
  readonly isPaused: boolean;
  readonly arePrerequisitesMissing: boolean;
  /** True if any workload exists. */
  readonly hasWorkloads: boolean;
  /** Components that the spec requests. */
  readonly components: Readonly<Partial<Record<Component, ComponentProgress>>>;
  /** True if a pod is restarting or must be restarted. */
  readonly isRestarting: boolean;
  /** True if a volume has not reached its requested size. */
  readonly isResizing: boolean;
  readonly previous: Pick<PreviousStatus, "phase" | "initialized">;
}

/** The decision about the phase. */
export interface PhaseDecision {
  readonly phase: Phase;
  /** True once all components have been complete and ready together. It never becomes false again. */
  readonly initialized: boolean;
}

/** Decides the phase. The first rule that applies decides; a failed reconcile never changes anything that runs. */
export function decidePhase(input: PhaseInput): PhaseDecision {
  const { isDeleted, errorClass, isPaused, previous } = input;
  const { initialized } = previous;
  const keep: PhaseDecision = { phase: previous.phase ?? "Pending", initialized };
  if (isDeleted) return { phase: "Deleting", initialized };
  if (errorClass === "Permanent") return { phase: "Failed", initialized };
  if (errorClass !== undefined || isPaused) return keep;
  if (isComplete(input)) return { phase: "Running", initialized: true };
  if (initialized) return { phase: "Updating", initialized };
  return { phase: input.arePrerequisitesMissing && !input.hasWorkloads ? "Pending" : "Creating", initialized };
}

/** Reports whether every component is complete, ready and up to date. */
function isComplete({
  components,
  isRestarting,
  isResizing,
  hasWorkloads,
  arePrerequisitesMissing,
}: PhaseInput): boolean {
  if (isRestarting || isResizing || !hasWorkloads || arePrerequisitesMissing) return false;
  return Object.values(components).every(
    ({ isObserved, desired, replicas, ready, updated }) =>
      isObserved && replicas === desired && ready === desired && updated === desired,
  );
}

/** Reports whether all controllers have been ready together, now or before. It never becomes false again. */
export function isBootstrapped(
  { isObserved, desired, replicas, ready }: ComponentProgress,
  previous: Pick<PreviousStatus, "bootstrapped">,
): boolean {
  return previous.bootstrapped || (isObserved && desired > 0 && replicas === desired && ready === desired);
}
