// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as metaV1 from "../meta/v1.ts";
import type { BuiltInResource } from "../../built-in-resource.ts";

const everyVerb: readonly string[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** Eviction evicts a pod from its node subject to certain policies and safety constraints. */
export interface Eviction {
  apiVersion: "policy/v1";
  kind: "Eviction";
  metadata: metaV1.ObjectMeta;
  /** DeleteOptions may be provided */
  deleteOptions?: metaV1.DeleteOptions;
}

/** PodDisruptionBudget is an object to define the max disruption that can be caused to a collection of pods */
export interface PodDisruptionBudget {
  apiVersion: "policy/v1";
  kind: "PodDisruptionBudget";
  metadata: metaV1.ObjectMeta;
  /** Specification of the desired behavior of the PodDisruptionBudget. */
  spec?: PodDisruptionBudgetSpec;
  /** Most recently observed status of the PodDisruptionBudget. */
  status?: PodDisruptionBudgetStatus;
}

/** The resource `poddisruptionbudgets` of `policy/v1`. */
export const PodDisruptionBudget: BuiltInResource<PodDisruptionBudget, "Namespaced"> = {
  group: "policy",
  version: "v1",
  kind: "PodDisruptionBudget",
  plural: "poddisruptionbudgets",
  singular: "poddisruptionbudget",
  scope: "Namespaced",
  shortNames: ["pdb"],
  categories: [],
  subresources: ["status"],
  verbs: everyVerb,
};

/** PodDisruptionBudgetList is a collection of PodDisruptionBudgets. */
export interface PodDisruptionBudgetList {
  apiVersion: "policy/v1";
  kind: "PodDisruptionBudgetList";
  metadata: metaV1.ListMeta;
  /** Items is a list of PodDisruptionBudgets */
  items: PodDisruptionBudget[];
}

/** PodDisruptionBudgetSpec is a description of a PodDisruptionBudget. */
export interface PodDisruptionBudgetSpec {
  /**
   * An eviction is allowed if at most "maxUnavailable" pods selected by "selector" are unavailable after the eviction,
   * i.e. even in absence of the evicted pod.
   */
  maxUnavailable?: metaV1.IntOrString;
  /**
   * An eviction is allowed if at least "minAvailable" pods selected by "selector" will still be available after the
   * eviction, i.e. even in the absence of the evicted pod.
   */
  minAvailable?: metaV1.IntOrString;
  /** Label query over pods whose evictions are managed by the disruption budget. */
  selector?: metaV1.LabelSelector;
  /** UnhealthyPodEvictionPolicy defines the criteria for when unhealthy pods should be considered for eviction. */
  unhealthyPodEvictionPolicy?: UnhealthyPodEvictionPolicyType;
}

/** PodDisruptionBudgetStatus represents information about the status of a PodDisruptionBudget. */
export interface PodDisruptionBudgetStatus {
  /** Conditions contain conditions for PDB. The disruption controller sets the DisruptionAllowed condition. */
  conditions?: metaV1.Condition[];
  /** current number of healthy pods */
  currentHealthy?: number;
  /** minimum desired number of healthy pods */
  desiredHealthy?: number;
  /**
   * DisruptedPods contains information about pods whose eviction was processed by the API server eviction subresource
   * handler but has not yet been observed by the PodDisruptionBudget controller.
   */
  disruptedPods?: Record<string, metaV1.Time>;
  /** Number of pod disruptions that are currently allowed. */
  disruptionsAllowed?: number;
  /** total number of pods counted by this disruption budget */
  expectedPods?: number;
  /**
   * Most recent generation observed when updating this PDB status. DisruptionsAllowed and other status information is
   * valid only if observedGeneration equals to PDB's object generation.
   */
  observedGeneration?: number;
}

/**
 * The values of `UnhealthyPodEvictionPolicyType`.
 *
 * - `"AlwaysAllow"` policy means that all running pods (status.phase="Running"), but not yet healthy are considered
 *   disrupted and can be evicted regardless of whether the criteria in a PDB is met.
 * - `"IfHealthyBudget"` policy means that running pods (status.phase="Running"), but not yet healthy can be evicted
 *   only if the guarded application is not disrupted (status.currentHealthy is at least equal to
 *   status.desiredHealthy).
 */
export type UnhealthyPodEvictionPolicyType = "AlwaysAllow" | "IfHealthyBudget";
