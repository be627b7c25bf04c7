// All events of a cluster, except for those that the runtime records.

import type { EventNote, FieldConflict } from "@homeostat/runtime";

/** Repeats of drift and blocked steps within this time are dropped. */
const quietMs = 600_000;

/** Events about restarts and members have a separate limit, so that many changes of objects do not suppress them. */
const limit = "rollout";

export const events = {
  // One event per reconcile and change: events of one object are limited, and one per kind would leave no room for those about restarts.
  created: (kinds: ReadonlyMap<string, number>) => ({ reason: "Created", note: `Created ${listed(kinds)}` }),
  updated: (kinds: ReadonlyMap<string, number>) => ({ reason: "Updated", note: `Updated ${listed(kinds)}` }),
  pruned: (kinds: ReadonlyMap<string, number>) => ({ reason: "Pruned", note: `Deleted ${listed(kinds)}` }),
  restarted: (pod: string, reasons: string, revisions: string) => ({
    reason: "RollingRestart",
    note: `Restarting pod ${pod} (${reasons}): ${revisions}`,
    limit,
  }),
  rolloutComplete: { reason: "RolloutComplete", note: "All pods are up to date and ready", limit },
  scaledUp: (what: string) => ({ reason: "ScaledUp", note: `Scaled ${what}`, limit }),
  scaledDown: (what: string) => ({ reason: "ScaledDown", note: `Scaled ${what}`, limit }),
  // The same change is requested again until the leader has performed it.
  memberChanged: (what: string) => ({ reason: "MembersChanged", note: what, limit, once: { noteMs: 60_000 } }),
  volumeResizeRequested: (size: string) => ({ reason: "VolumeResizeRequested", note: `Growing volumes to ${size}` }),
  statefulSetRecreated: (component: string) => ({
    reason: "StatefulSetRecreated",
    note: `Recreating the StatefulSet of ${component} without restarting its pods`,
    // Recorded when it is deleted, and when it is created while its pods exist: it may be deleted by another client.
    once: { noteMs: quietMs },
  }),
  /** An immutable field of an object differed: `ServiceRecreated`, `RoleBindingRecreated`. */
  recreated: (objectKind: string, name: string) => ({
    reason: `${objectKind}Recreated`,
    note: `Deleted and created ${objectKind} ${name}, because an immutable field differed`,
  }),
  claimDeleted: (name: string) => ({ reason: "VolumeClaimDeleted", note: `Deleted PersistentVolumeClaim ${name}` }),
  claimRetired: (name: string) => ({
    reason: "VolumeClaimRetired",
    note: `Kept PersistentVolumeClaim ${name} of a removed member; a later scale-up uses it again`,
  }),
  claimsRetained: (count: number) => ({
    reason: "VolumeClaimsRetained",
    note: `Retained ${count} PersistentVolumeClaims`,
  }),
  reusingVolumes: (claims: string) => ({
    reason: "ReusingVolumes",
    note: `Controllers rejoin the quorum with the volumes of ${claims}`,
  }),
  searchSwitched: (color: string) => ({ reason: "SearchSwitched", note: `Search clients use the ${color} Deployment` }),
  running: { reason: "Running", note: "All Chronik Stream components are running" },
  paused: { reason: "Paused", note: "Reconciliation is paused" },
  resumed: { reason: "Resumed", note: "Resumed reconciliation" },
  deleting: { reason: "Deleting", note: "Stopping the cluster" },
  deleted: { reason: "Deleted", note: "Deleted the cluster" },
  validationFailed: (message: string) => ({ type: "Warning", reason: "ValidationFailed", note: message }),
  specWarning: (message: string) => ({ type: "Warning", reason: "SpecWarning", note: message }),
  prerequisiteMissing: (message: string) => ({ type: "Warning", reason: "PrerequisiteMissing", note: message }),
  failed: (reason: string, message: string) => ({
    type: "Warning",
    reason: "ReconcileError",
    note: `${reason}: ${message}`,
    once: quietMs,
  }),
  resourceConflict: (message: string) => ({ type: "Warning", reason: "ResourceConflict", note: message }),
  fieldsTakenBack: (object: string, taken: readonly FieldConflict[]) => ({
    type: "Warning",
    reason: "FieldTakenBack",
    note: `Took back fields of ${object} from other field managers: ${listedFields(taken)}`,
    once: { noteMs: quietMs },
  }),
  quorumLost: (message: string) => ({ type: "Warning", reason: "QuorumLost", note: message, limit }),
  quorumRisk: (pod: string) => ({
    type: "Warning",
    reason: "QuorumRestartRisk",
    note: `The controllers have no majority while pod ${pod} restarts`,
    limit,
  }),
  checkSkipped: (pod: string) => ({
    type: "Warning",
    reason: "ComponentCheckSkipped",
    note: `Restarting pod ${pod} without the component check, as requested`,
    limit,
  }),
  rolloutBlocked: (component: string, message: string) => ({
    type: "Warning",
    reason: "RolloutBlocked",
    note: `Restarts of ${component} pods are blocked by ${message}`,
    limit,
  }),
  progressDeadlineExceeded: (pods: string) => ({
    type: "Warning",
    reason: "ProgressDeadlineExceeded",
    note: `Pods did not become ready in time: ${pods}`,
    limit,
  }),
  scaleDownBlocked: (message: string) => ({ type: "Warning", reason: "ScaleDownBlocked", note: message, limit }),
  expansionNotSupported: (message: string) => ({ type: "Warning", reason: "ExpansionNotSupported", note: message }),
  diskRebuild: (pod: string) => ({
    type: "Warning",
    reason: "DiskRebuild",
    note: `Deleting pod ${pod} and its claim, as requested`,
  }),
  rebuildRefused: (message: string) => ({ type: "Warning", reason: "DiskRebuildRefused", note: message }),
  certificate: (reason: string, message: string) => ({
    type: "Warning",
    reason: `Certificate${reason}`,
    note: message,
  }),
  canaryFailed: (message: string) => ({ type: "Warning", reason: "CanaryFailed", note: message }),
  deletionBlocked: {
    type: "Warning",
    reason: "DeletionBlocked",
    note: "Deletion protection is enabled; the cluster keeps running until the protection is removed",
  },
  deletionTimeout: {
    type: "Warning",
    reason: "DeletionTimeout",
    note: "Members did not stop in time; continuing the deletion",
  },
} as const satisfies Readonly<Record<string, EventNote | ((...given: never[]) => EventNote)>>;

/** Number of fields that an event lists. */
const fieldsMax = 5;

/** Lists fields with their managers: `spec.replicas (kubectl-edit)`. */
export function listedFields(conflicts: readonly FieldConflict[]): string {
  const shown = conflicts
    .slice(0, fieldsMax)
    .map(({ field, manager = "unknown manager" }) => `${field} (${manager})`)
    .join(", ");
  const rest = conflicts.length - fieldsMax;
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}

/** Lists numbers of objects by kind: `2 Role, 1 StatefulSet`. */
function listed(kinds: ReadonlyMap<string, number>): string {
  return [...kinds].map(([kind, count]) => `${count} ${kind}`).join(", ");
}
