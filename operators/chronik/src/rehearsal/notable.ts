// Conditions and events that are part of the timeline.

import type { DeepReadonly } from "homeostat";
import type { ClusterCondition } from "../api/chronik-cluster.ts";
import type { ConditionType } from "../api/status.ts";

/** Conditions that are reported when they have this status, because a user must know about them. */
const notable: Readonly<Partial<Record<ConditionType, "True" | "False">>> = {
  SpecValid: "False",
  PrerequisitesMet: "False",
  ReconcileSucceeded: "False",
  QuorumHealthy: "False",
  Degraded: "True",
  VolumesResized: "False",
  ScaleDownBlocked: "True",
  CanaryFailed: "True",
  CertificateValid: "False",
  ReconciliationPaused: "True",
  DeletionBlocked: "True",
};

/** A member that restarts is not ready; the entries about pods say so already. */
const expectedReasons: ReadonlySet<string> = new Set(["PodsNotReady", "NotStarted"]);

/** Events that no field of the status shows. */
export const notableEvents: ReadonlySet<string> = new Set([
  "MembersChanged",
  "StatefulSetRecreated",
  "QuorumRestartRisk",
  "ComponentCheckSkipped",
  "DiskRebuild",
  "DiskRebuildRefused",
  "VolumeClaimRetired",
  "VolumeClaimDeleted",
  "ReusingVolumes",
]);

/** Reports whether a user must know about the current state of a condition. */
export function isNotable({ type, status, reason }: DeepReadonly<ClusterCondition>): boolean {
  return notable[type] === status && !expectedReasons.has(reason);
}
