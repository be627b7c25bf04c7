// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as metaV1 from "../meta/v1.ts";
import type { BuiltInResource } from "../../built-in-resource.ts";

const everyVerb: readonly string[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** BasicSchedulingPolicy indicates that standard Kubernetes scheduling behavior should be used. */
export type BasicSchedulingPolicy = Record<string, never>;

/** GangSchedulingPolicy defines the parameters for gang scheduling. */
export interface GangSchedulingPolicy {
  /**
   * MinCount is the minimum number of pods that must be schedulable or scheduled at the same time for the scheduler to
   * admit the entire group.
   */
  minCount: number;
}

/**
 * PodGroup represents a runtime instance of pods grouped together. PodGroups are created by workload controllers (Job,
 * LWS, JobSet, etc...) from Workload.podGroupTemplates.
 */
export interface PodGroup {
  apiVersion: "scheduling.k8s.io/v1alpha2";
  kind: "PodGroup";
  metadata: metaV1.ObjectMeta;
  /** Spec defines the desired state of the PodGroup. */
  spec: PodGroupSpec;
  /** Status represents the current observed state of the PodGroup. */
  status?: PodGroupStatus;
}

/** The resource `podgroups` of `scheduling.k8s.io/v1alpha2`. */
export const PodGroup: BuiltInResource<PodGroup, "Namespaced"> = {
  group: "scheduling.k8s.io",
  version: "v1alpha2",
  kind: "PodGroup",
  plural: "podgroups",
  singular: "podgroup",
  scope: "Namespaced",
  shortNames: [],
  categories: [],
  subresources: ["status"],
  verbs: everyVerb,
};

/** PodGroupList contains a list of PodGroup resources. */
export interface PodGroupList {
  apiVersion: "scheduling.k8s.io/v1alpha2";
  kind: "PodGroupList";
  metadata: metaV1.ListMeta;
  /** Items is the list of PodGroups. */
  items: PodGroup[];
}

/**
 * PodGroupResourceClaim references exactly one ResourceClaim, either directly or by naming a ResourceClaimTemplate
 * which is then turned into a ResourceClaim for the PodGroup.
 */
export interface PodGroupResourceClaim {
  /** Name uniquely identifies this resource claim inside the PodGroup. This must be a DNS_LABEL. */
  name: string;
  /** ResourceClaimName is the name of a ResourceClaim object in the same namespace as this PodGroup. */
  resourceClaimName?: string;
  /** ResourceClaimTemplateName is the name of a ResourceClaimTemplate object in the same namespace as this PodGroup. */
  resourceClaimTemplateName?: string;
}

/**
 * PodGroupResourceClaimStatus is stored in the PodGroupStatus for each PodGroupResourceClaim which references a
 * ResourceClaimTemplate.
 */
export interface PodGroupResourceClaimStatus {
  /**
   * Name uniquely identifies this resource claim inside the PodGroup. This must match the name of an entry in
   * podgroup.spec.resourceClaims, which implies that the string must be a DNS_LABEL.
   */
  name: string;
  /**
   * ResourceClaimName is the name of the ResourceClaim that was generated for the PodGroup in the namespace of the
   * PodGroup.
   */
  resourceClaimName?: string;
}

/** PodGroupSchedulingConstraints defines scheduling constraints (e.g. topology) for a PodGroup. */
export interface PodGroupSchedulingConstraints {
  /**
   * Topology defines the topology constraints for the pod group. Currently only a single topology constraint can be
   * specified.
   */
  topology?: TopologyConstraint[];
}

/** PodGroupSchedulingPolicy defines the scheduling configuration for a PodGroup. */
export interface PodGroupSchedulingPolicy {
  /** Basic specifies that the pods in this group should be scheduled using standard Kubernetes scheduling behavior. */
  basic?: BasicSchedulingPolicy;
  /** Gang specifies that the pods in this group should be scheduled using all-or-nothing semantics. */
  gang?: GangSchedulingPolicy;
}

/** PodGroupSpec defines the desired state of a PodGroup. */
export interface PodGroupSpec {
  /** DisruptionMode defines the mode in which a given PodGroup can be disrupted. */
  disruptionMode?: DisruptionMode;
  /**
   * PodGroupTemplateRef references an optional PodGroup template within other object (e.g. Workload) that was used to
   * create the PodGroup.
   */
  podGroupTemplateRef?: PodGroupTemplateReference;
  /**
   * Priority is the value of priority of this pod group. Various system components use this field to find the priority
   * of the pod group.
   */
  priority?: number;
  /** PriorityClassName defines the priority that should be considered when scheduling this pod group. */
  priorityClassName?: string;
  /** ResourceClaims defines which ResourceClaims may be shared among Pods in the group. */
  resourceClaims?: PodGroupResourceClaim[];
  /** SchedulingConstraints defines optional scheduling constraints (e.g. topology) for this PodGroup. */
  schedulingConstraints?: PodGroupSchedulingConstraints;
  /** SchedulingPolicy defines the scheduling policy for this instance of the PodGroup. */
  schedulingPolicy: PodGroupSchedulingPolicy;
}

/** PodGroupStatus represents information about the status of a pod group. */
export interface PodGroupStatus {
  /** Conditions represent the latest observations of the PodGroup's state. */
  conditions?: metaV1.Condition[];
  /** Status of resource claims. */
  resourceClaimStatuses?: PodGroupResourceClaimStatus[];
}

/** PodGroupTemplate represents a template for a set of pods with a scheduling policy. */
export interface PodGroupTemplate {
  /** DisruptionMode defines the mode in which a given PodGroup can be disrupted. */
  disruptionMode?: DisruptionMode;
  /** Name is a unique identifier for the PodGroupTemplate within the Workload. */
  name: string;
  /** Priority is the value of priority of pod groups created from this template. */
  priority?: number;
  /**
   * PriorityClassName indicates the priority that should be considered when scheduling a pod group created from this
   * template.
   */
  priorityClassName?: string;
  /** ResourceClaims defines which ResourceClaims may be shared among Pods in the group. */
  resourceClaims?: PodGroupResourceClaim[];
  /** SchedulingConstraints defines optional scheduling constraints (e.g. topology) for this PodGroupTemplate. */
  schedulingConstraints?: PodGroupSchedulingConstraints;
  /** SchedulingPolicy defines the scheduling policy for this PodGroupTemplate. */
  schedulingPolicy: PodGroupSchedulingPolicy;
}

/** PodGroupTemplateReference references a PodGroup template defined in some object (e.g. Workload). */
export interface PodGroupTemplateReference {
  /** Workload references the PodGroupTemplate within the Workload object that was used to create the PodGroup. */
  workload?: WorkloadPodGroupTemplateReference;
}

/** TopologyConstraint defines a topology constraint for a PodGroup. */
export interface TopologyConstraint {
  /** Key specifies the key of the node label representing the topology domain. */
  key: string;
}

/** TypedLocalObjectReference allows to reference typed object inside the same namespace. */
export interface TypedLocalObjectReference {
  /**
   * APIGroup is the group for the resource being referenced. If APIGroup is empty, the specified Kind must be in the
   * core API group.
   */
  apiGroup?: string;
  /** Kind is the type of resource being referenced. It must be a path segment name. */
  kind: string;
  /** Name is the name of resource being referenced. It must be a path segment name. */
  name: string;
}

/**
 * Workload allows for expressing scheduling constraints that should be used when managing the lifecycle of workloads
 * from the scheduling perspective, including scheduling, preemption, eviction and other phases.
 */
export interface Workload {
  apiVersion: "scheduling.k8s.io/v1alpha2";
  kind: "Workload";
  metadata: metaV1.ObjectMeta;
  /** Spec defines the desired behavior of a Workload. */
  spec: WorkloadSpec;
}

/** The resource `workloads` of `scheduling.k8s.io/v1alpha2`. */
export const Workload: BuiltInResource<Workload, "Namespaced"> = {
  group: "scheduling.k8s.io",
  version: "v1alpha2",
  kind: "Workload",
  plural: "workloads",
  singular: "workload",
  scope: "Namespaced",
  shortNames: [],
  categories: [],
  subresources: [],
  verbs: everyVerb,
};

/** WorkloadList contains a list of Workload resources. */
export interface WorkloadList {
  apiVersion: "scheduling.k8s.io/v1alpha2";
  kind: "WorkloadList";
  metadata: metaV1.ListMeta;
  /** Items is the list of Workloads. */
  items: Workload[];
}

/** WorkloadPodGroupTemplateReference references the PodGroupTemplate within the Workload object. */
export interface WorkloadPodGroupTemplateReference {
  /** PodGroupTemplateName defines the PodGroupTemplate name within the Workload object. */
  podGroupTemplateName: string;
  /** WorkloadName defines the name of the Workload object. */
  workloadName: string;
}

/** WorkloadSpec defines the desired state of a Workload. */
export interface WorkloadSpec {
  /** ControllerRef is an optional reference to the controlling object, such as a Deployment or Job. */
  controllerRef?: TypedLocalObjectReference;
  /** PodGroupTemplates is the list of templates that make up the Workload. The maximum number of templates is 8. */
  podGroupTemplates: PodGroupTemplate[];
}

/**
 * The values of `DisruptionMode`.
 *
 * - `"Pod"` means that individual pods can be disrupted or preempted independently.
 * - `"PodGroup"` means that the whole PodGroup needs to be disrupted or preempted together.
 */
export type DisruptionMode = "Pod" | "PodGroup";
