// Order in which the objects of a sandbox are deleted: routes first, then the objects that serve requests, then the objects that the forks used:
//
//   routes -> local workloads -> fork Services -> forks -> delete hooks -> provision objects -> finalizer
//
// Each reconcile performs the next possible step. Every step is derived from the objects that still exist, so a restarted operator continues.

/** The state of the delete hook of one element of `spec.provision`. */
export interface DeleteHook {
  readonly name: string;
  readonly state: "absent" | "running" | "succeeded" | "failed";
  /** Message of a failed hook. */
  readonly message: string | undefined;
}

/** Input of {@link decideDeletion}. Times in milliseconds since the epoch. */
export interface DeletionInput {
  readonly deletedAt: number;
  /** Number of route tables that still contain the sandbox, plus tables whose version without the sandbox is not yet confirmed by all proxies. */
  readonly pendingTables: number;
  /** Number of Services that are taken over for this sandbox alone. */
  readonly takenOver: number;
  readonly localWorkloads: readonly string[];
  readonly services: readonly string[];
  readonly forks: readonly string[];
  readonly hooks: readonly DeleteHook[];
  /** Jobs and Secrets of provision hooks. */
  readonly provisionObjects: readonly string[];
  /** Objects with the UID of the sandbox that belong to none of the groups above. */
  readonly others: readonly string[];
  /** True if every remaining object is in the namespace of the sandbox and has an owner reference to it. */
  readonly isLeftToGarbageCollection: boolean;
  readonly isNamespaceTerminating: boolean;
  /** True if the user has requested by annotation that the finalizer be removed even if objects remain. */
  readonly isForced: boolean;
  readonly drainMs: number;
  readonly forceAfterMs: number;
  readonly now: number;
}

export type DeletionStep =
  | { readonly type: "waitForRoutes"; readonly until: number; readonly tables: number }
  | { readonly type: "deleteLocalWorkloads"; readonly names: readonly string[] }
  | { readonly type: "deleteServices"; readonly names: readonly string[] }
  | { readonly type: "deleteForks"; readonly names: readonly string[] }
  | { readonly type: "startHook"; readonly name: string }
  | { readonly type: "waitForHook"; readonly name: string }
  | { readonly type: "deleteProvisionObjects"; readonly names: readonly string[] }
  | { readonly type: "wait"; readonly names: readonly string[]; readonly isStuck: boolean }
  | { readonly type: "finish"; readonly isForced: boolean };

/** Interval between checks of objects that are being deleted. Their watch events usually arrive earlier. */
export const deletionRetryMs = 2_000;

/** Interval at which a deletion that does not end is reported. */
export const stuckReportMs = 5 * 60_000;

/** Decides the next step of a deletion. */
export function decideDeletion(input: DeletionInput): DeletionStep {
  const { isNamespaceTerminating, isForced, takenOver, now, deletedAt, forceAfterMs } = input;
  // A Service that is taken over needs the Service that selects its baseline pods.
  if (takenOver > 0)
    return { type: "wait", names: [`${takenOver} Services that are taken over`], isStuck: isLate(input) };
  // The namespace controller deletes all objects. New objects cannot be created, so hooks cannot run.
  if (isNamespaceTerminating && input.isLeftToGarbageCollection) return { type: "finish", isForced: false };
  const step = nextStep(input);
  if (step === undefined) return { type: "finish", isForced: false };
  if (isForced) return { type: "finish", isForced: true };
  const isOver = now - deletedAt >= forceAfterMs;
  if (isOver && input.isLeftToGarbageCollection) return { type: "finish", isForced: true };
  return step;
}

function nextStep(input: DeletionInput): DeletionStep | undefined {
  const { deletedAt, drainMs, now, pendingTables, localWorkloads, services, forks, hooks, others } = input;
  const drainedAt = deletedAt + drainMs;
  if (pendingTables > 0 && now < drainedAt) return { type: "waitForRoutes", until: drainedAt, tables: pendingTables };
  if (localWorkloads.length > 0) return { type: "deleteLocalWorkloads", names: localWorkloads };
  if (services.length > 0) return { type: "deleteServices", names: services };
  if (forks.length > 0) return { type: "deleteForks", names: forks };
  if (!input.isNamespaceTerminating) {
    for (const { name, state } of hooks) {
      if (state === "absent") return { type: "startHook", name };
      if (state === "running") return { type: "waitForHook", name };
    }
  }
  if (input.provisionObjects.length > 0) return { type: "deleteProvisionObjects", names: input.provisionObjects };
  return others.length > 0 ? { type: "wait", names: others, isStuck: isLate(input) } : undefined;
}

function isLate({ now, deletedAt, forceAfterMs }: DeletionInput): boolean {
  return now - deletedAt >= forceAfterMs;
}
