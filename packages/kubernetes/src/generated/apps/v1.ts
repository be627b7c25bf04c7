// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as coreV1 from "../core/v1.ts";
import type * as metaV1 from "../meta/v1.ts";
import type { BuiltInResource } from "../../built-in-resource.ts";
import type { Nested } from "../../nested.ts";

const everyVerb: readonly string[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/**
 * ControllerRevision implements an immutable snapshot of state data. Clients are responsible for serializing and
 * deserializing the objects that contain their internal state.
 */
export interface ControllerRevision {
  apiVersion: "apps/v1";
  kind: "ControllerRevision";
  metadata: metaV1.ObjectMeta;
  /** Data is the serialized representation of the state. */
  data?: metaV1.RawExtension;
  /** Revision indicates the revision of the state represented by Data. */
  revision: number;
}

/** The resource `controllerrevisions` of `apps/v1`. */
export const ControllerRevision: BuiltInResource<ControllerRevision, "Namespaced"> = {
  group: "apps",
  version: "v1",
  kind: "ControllerRevision",
  plural: "controllerrevisions",
  singular: "controllerrevision",
  scope: "Namespaced",
  shortNames: [],
  categories: [],
  subresources: [],
  verbs: everyVerb,
};

/** ControllerRevisionList is a resource containing a list of ControllerRevision objects. */
export interface ControllerRevisionList {
  apiVersion: "apps/v1";
  kind: "ControllerRevisionList";
  metadata: metaV1.ListMeta;
  /** Items is the list of ControllerRevisions */
  items: ControllerRevision[];
}

/** DaemonSet represents the configuration of a daemon set. */
export interface DaemonSet {
  apiVersion: "apps/v1";
  kind: "DaemonSet";
  metadata: metaV1.ObjectMeta;
  /** The desired behavior of this daemon set. */
  spec: DaemonSetSpec;
  /** The current status of this daemon set. This data may be out of date by some window of time. */
  status?: DaemonSetStatus;
}

/** The resource `daemonsets` of `apps/v1`. */
export const DaemonSet: BuiltInResource<DaemonSet, "Namespaced"> = {
  group: "apps",
  version: "v1",
  kind: "DaemonSet",
  plural: "daemonsets",
  singular: "daemonset",
  scope: "Namespaced",
  shortNames: ["ds"],
  categories: ["all"],
  subresources: ["status"],
  verbs: everyVerb,
};

/** DaemonSetCondition describes the state of a DaemonSet at a certain point. */
export interface DaemonSetCondition {
  /** Last time the condition transitioned from one status to another. */
  lastTransitionTime?: metaV1.Time;
  /** A human readable message indicating details about the transition. */
  message?: string;
  /** The reason for the condition's last transition. */
  reason?: string;
  /** Status of the condition, one of True, False, Unknown. */
  status: string;
  /** Type of DaemonSet condition. */
  type: string;
}

/** DaemonSetList is a collection of daemon sets. */
export interface DaemonSetList {
  apiVersion: "apps/v1";
  kind: "DaemonSetList";
  metadata: metaV1.ListMeta;
  /** A list of daemon sets. */
  items: DaemonSet[];
}

/** DaemonSetSpec is the specification of a daemon set. */
export interface DaemonSetSpec {
  /**
   * The minimum number of seconds for which a newly created DaemonSet pod should be ready without any of its container
   * crashing, for it to be considered available.
   */
  minReadySeconds?: number;
  /**
   * The number of old history to retain to allow rollback. This is a pointer to distinguish between explicit zero and
   * not specified.
   */
  revisionHistoryLimit?: number;
  /** A label query over pods that are managed by the daemon set. Must match in order to be controlled. */
  selector: metaV1.LabelSelector;
  /**
   * An object that describes the pod that will be created. The DaemonSet will create exactly one copy of this pod on
   * every node that matches the template's node selector (or on every node if no node selector is specified).
   */
  template: coreV1.PodTemplateSpec;
  /** An update strategy to replace existing DaemonSet pods with new pods. */
  updateStrategy?: DaemonSetUpdateStrategy;
}

/** DaemonSetStatus represents the current status of a daemon set. */
export interface DaemonSetStatus {
  /**
   * Count of hash collisions for the DaemonSet. The DaemonSet controller uses this field as a collision avoidance
   * mechanism when it needs to create the name for the newest ControllerRevision.
   */
  collisionCount?: number;
  /** Represents the latest available observations of a DaemonSet's current state. */
  conditions?: DaemonSetCondition[];
  /** The number of nodes that are running at least 1 daemon pod and are supposed to run the daemon pod. */
  currentNumberScheduled: number;
  /**
   * The total number of nodes that should be running the daemon pod (including nodes correctly running the daemon pod).
   */
  desiredNumberScheduled: number;
  /**
   * The number of nodes that should be running the daemon pod and have one or more of the daemon pod running and
   * available (ready for at least spec.minReadySeconds)
   */
  numberAvailable?: number;
  /** The number of nodes that are running the daemon pod, but are not supposed to run the daemon pod. */
  numberMisscheduled: number;
  /**
   * numberReady is the number of nodes that should be running the daemon pod and have one or more of the daemon pod
   * running with a Ready Condition.
   */
  numberReady: number;
  /**
   * The number of nodes that should be running the daemon pod and have none of the daemon pod running and available
   * (ready for at least spec.minReadySeconds)
   */
  numberUnavailable?: number;
  /** The most recent generation observed by the daemon set controller. */
  observedGeneration?: number;
  /** The total number of nodes that are running updated daemon pod */
  updatedNumberScheduled?: number;
}

/** DaemonSetUpdateStrategy is a struct used to control the update strategy for a DaemonSet. */
export interface DaemonSetUpdateStrategy {
  /** Rolling update config params. Present only if type = "RollingUpdate". */
  rollingUpdate?: RollingUpdateDaemonSet;
  /** Type of daemon set update. Can be "RollingUpdate" or "OnDelete". */
  type?: DaemonSetUpdateStrategyType;
}

/** Deployment enables declarative updates for Pods and ReplicaSets. */
export interface Deployment {
  apiVersion: "apps/v1";
  kind: "Deployment";
  metadata: metaV1.ObjectMeta;
  /** Specification of the desired behavior of the Deployment. */
  spec: DeploymentSpec;
  /** Most recently observed status of the Deployment. */
  status?: DeploymentStatus;
}

/** The resource `deployments` of `apps/v1`. */
export const Deployment: BuiltInResource<Deployment, "Namespaced"> = {
  group: "apps",
  version: "v1",
  kind: "Deployment",
  plural: "deployments",
  singular: "deployment",
  scope: "Namespaced",
  shortNames: ["deploy"],
  categories: ["all"],
  subresources: ["scale", "status"],
  verbs: everyVerb,
};

/** DeploymentCondition describes the state of a deployment at a certain point. */
export interface DeploymentCondition {
  /** Last time the condition transitioned from one status to another. */
  lastTransitionTime?: metaV1.Time;
  /** The last time this condition was updated. */
  lastUpdateTime?: metaV1.Time;
  /** A human readable message indicating details about the transition. */
  message?: string;
  /** The reason for the condition's last transition. */
  reason?: string;
  /** Status of the condition, one of True, False, Unknown. */
  status: string;
  /** Type of deployment condition. */
  type: string;
}

/** DeploymentList is a list of Deployments. */
export interface DeploymentList {
  apiVersion: "apps/v1";
  kind: "DeploymentList";
  metadata: metaV1.ListMeta;
  /** Items is the list of Deployments. */
  items: Deployment[];
}

/** DeploymentSpec is the specification of the desired behavior of the Deployment. */
export interface DeploymentSpec {
  /**
   * Minimum number of seconds for which a newly created pod should be ready without any of its container crashing, for
   * it to be considered available.
   */
  minReadySeconds?: number;
  /** Indicates that the deployment is paused. */
  paused?: boolean;
  /** The maximum time in seconds for a deployment to make progress before it is considered to be failed. */
  progressDeadlineSeconds?: number;
  /** Number of desired pods. This is a pointer to distinguish between explicit zero and not specified. */
  replicas?: number;
  /**
   * The number of old ReplicaSets to retain to allow rollback. This is a pointer to distinguish between explicit zero
   * and not specified.
   */
  revisionHistoryLimit?: number;
  /**
   * Label selector for pods. Existing ReplicaSets whose pods are selected by this will be the ones affected by this
   * deployment.
   */
  selector: metaV1.LabelSelector;
  /** The deployment strategy to use to replace existing pods with new ones. */
  strategy?: DeploymentStrategy;
  /**
   * Template describes the pods that will be created. The only allowed template.spec.restartPolicy value is "Always".
   */
  template: coreV1.PodTemplateSpec;
}

/** DeploymentStatus is the most recently observed status of the Deployment. */
export interface DeploymentStatus {
  /**
   * Total number of available non-terminating pods (ready for at least minReadySeconds) targeted by this deployment.
   */
  availableReplicas?: number;
  /**
   * Count of hash collisions for the Deployment. The Deployment controller uses this field as a collision avoidance
   * mechanism when it needs to create the name for the newest ReplicaSet.
   */
  collisionCount?: number;
  /** Represents the latest available observations of a deployment's current state. */
  conditions?: DeploymentCondition[];
  /** The generation observed by the deployment controller. */
  observedGeneration?: number;
  /** Total number of non-terminating pods targeted by this Deployment with a Ready Condition. */
  readyReplicas?: number;
  /** Total number of non-terminating pods targeted by this deployment (their labels match the selector). */
  replicas?: number;
  /**
   * Total number of terminating pods targeted by this deployment. Terminating pods have a non-null
   * .metadata.deletionTimestamp and have not yet reached the Failed or Succeeded .status.phase.
   */
  terminatingReplicas?: number;
  /**
   * Total number of unavailable pods targeted by this deployment. This is the total number of pods that are still
   * required for the deployment to have 100% available capacity.
   */
  unavailableReplicas?: number;
  /** Total number of non-terminating pods targeted by this deployment that have the desired template spec. */
  updatedReplicas?: number;
}

/** DeploymentStrategy describes how to replace existing pods with new ones. */
export interface DeploymentStrategy {
  /** Rolling update config params. Present only if DeploymentStrategyType = RollingUpdate. */
  rollingUpdate?: RollingUpdateDeployment;
  /** Type of deployment. Can be "Recreate" or "RollingUpdate". */
  type?: DeploymentStrategyType;
}

/** ReplicaSet ensures that a specified number of pod replicas are running at any given time. */
export interface ReplicaSet {
  apiVersion: "apps/v1";
  kind: "ReplicaSet";
  metadata: metaV1.ObjectMeta;
  /** Spec defines the specification of the desired behavior of the ReplicaSet. */
  spec: ReplicaSetSpec;
  /**
   * Status is the most recently observed status of the ReplicaSet. This data may be out of date by some window of time.
   */
  status?: ReplicaSetStatus;
}

/** The resource `replicasets` of `apps/v1`. */
export const ReplicaSet: BuiltInResource<ReplicaSet, "Namespaced"> = {
  group: "apps",
  version: "v1",
  kind: "ReplicaSet",
  plural: "replicasets",
  singular: "replicaset",
  scope: "Namespaced",
  shortNames: ["rs"],
  categories: ["all"],
  subresources: ["scale", "status"],
  verbs: everyVerb,
};

/** ReplicaSetCondition describes the state of a replica set at a certain point. */
export interface ReplicaSetCondition {
  /** The last time the condition transitioned from one status to another. */
  lastTransitionTime?: metaV1.Time;
  /** A human readable message indicating details about the transition. */
  message?: string;
  /** The reason for the condition's last transition. */
  reason?: string;
  /** Status of the condition, one of True, False, Unknown. */
  status: string;
  /** Type of replica set condition. */
  type: string;
}

/** ReplicaSetList is a collection of ReplicaSets. */
export interface ReplicaSetList {
  apiVersion: "apps/v1";
  kind: "ReplicaSetList";
  metadata: metaV1.ListMeta;
  /** List of ReplicaSets. */
  items: ReplicaSet[];
}

/** ReplicaSetSpec is the specification of a ReplicaSet. */
export interface ReplicaSetSpec {
  /**
   * Minimum number of seconds for which a newly created pod should be ready without any of its container crashing, for
   * it to be considered available.
   */
  minReadySeconds?: number;
  /** Replicas is the number of desired pods. This is a pointer to distinguish between explicit zero and unspecified. */
  replicas?: number;
  /** Selector is a label query over pods that should match the replica count. */
  selector: metaV1.LabelSelector;
  /** Template is the object that describes the pod that will be created if insufficient replicas are detected. */
  template?: coreV1.PodTemplateSpec;
}

/** ReplicaSetStatus represents the current status of a ReplicaSet. */
export interface ReplicaSetStatus {
  /** The number of available non-terminating pods (ready for at least minReadySeconds) for this replica set. */
  availableReplicas?: number;
  /** Represents the latest available observations of a replica set's current state. */
  conditions?: ReplicaSetCondition[];
  /** The number of non-terminating pods that have labels matching the labels of the pod template of the replicaset. */
  fullyLabeledReplicas?: number;
  /** ObservedGeneration reflects the generation of the most recently observed ReplicaSet. */
  observedGeneration?: number;
  /** The number of non-terminating pods targeted by this ReplicaSet with a Ready Condition. */
  readyReplicas?: number;
  /** Replicas is the most recently observed number of non-terminating pods. */
  replicas: number;
  /**
   * The number of terminating pods for this replica set. Terminating pods have a non-null .metadata.deletionTimestamp
   * and have not yet reached the Failed or Succeeded .status.phase.
   */
  terminatingReplicas?: number;
}

/** Spec to control the desired behavior of daemon set rolling update. */
export interface RollingUpdateDaemonSet {
  /**
   * The maximum number of nodes with an existing available DaemonSet pod that can have an updated DaemonSet pod during
   * during an update.
   */
  maxSurge?: metaV1.IntOrString;
  /** The maximum number of DaemonSet pods that can be unavailable during the update. */
  maxUnavailable?: metaV1.IntOrString;
}

/** Spec to control the desired behavior of rolling update. */
export interface RollingUpdateDeployment {
  /** The maximum number of pods that can be scheduled above the desired number of pods. */
  maxSurge?: metaV1.IntOrString;
  /**
   * The maximum number of pods that can be unavailable during the update. Value can be an absolute number (ex: 5) or a
   * percentage of desired pods (ex: 10%).
   */
  maxUnavailable?: metaV1.IntOrString;
}

/** RollingUpdateStatefulSetStrategy is used to communicate parameter for RollingUpdateStatefulSetStrategyType. */
export interface RollingUpdateStatefulSetStrategy {
  /**
   * The maximum number of pods that can be unavailable during the update. Value can be an absolute number (ex: 5) or a
   * percentage of desired pods (ex: 10%).
   */
  maxUnavailable?: metaV1.IntOrString;
  /** Partition indicates the ordinal at which the StatefulSet should be partitioned for updates. */
  partition?: number;
}

/**
 * StatefulSet represents a set of pods with consistent identities. Identities are defined as: - Network: A single
 * stable DNS and hostname. - Storage: As many VolumeClaims as requested.
 */
export interface StatefulSet {
  apiVersion: "apps/v1";
  kind: "StatefulSet";
  metadata: metaV1.ObjectMeta;
  /** Spec defines the desired identities of pods in this set. */
  spec: StatefulSetSpec;
  /** Status is the current status of Pods in this StatefulSet. This data may be out of date by some window of time. */
  status?: StatefulSetStatus;
}

/** The resource `statefulsets` of `apps/v1`. */
export const StatefulSet: BuiltInResource<StatefulSet, "Namespaced"> = {
  group: "apps",
  version: "v1",
  kind: "StatefulSet",
  plural: "statefulsets",
  singular: "statefulset",
  scope: "Namespaced",
  shortNames: ["sts"],
  categories: ["all"],
  subresources: ["scale", "status"],
  verbs: everyVerb,
};

/** StatefulSetCondition describes the state of a statefulset at a certain point. */
export interface StatefulSetCondition {
  /** Last time the condition transitioned from one status to another. */
  lastTransitionTime?: metaV1.Time;
  /** A human readable message indicating details about the transition. */
  message?: string;
  /** The reason for the condition's last transition. */
  reason?: string;
  /** Status of the condition, one of True, False, Unknown. */
  status: string;
  /** Type of statefulset condition. */
  type: string;
}

/** StatefulSetList is a collection of StatefulSets. */
export interface StatefulSetList {
  apiVersion: "apps/v1";
  kind: "StatefulSetList";
  metadata: metaV1.ListMeta;
  /** Items is the list of stateful sets. */
  items: StatefulSet[];
}

/** StatefulSetOrdinals describes the policy used for replica ordinal assignment in this StatefulSet. */
export interface StatefulSetOrdinals {
  /**
   * start is the number representing the first replica's index. It may be used to number replicas from an alternate
   * index (eg: 1-indexed) over the default 0-indexed names, or to orchestrate progressive movement of replicas from one
   * StatefulSet to another.
   */
  start?: number;
}

/**
 * StatefulSetPersistentVolumeClaimRetentionPolicy describes the policy used for PVCs created from the StatefulSet
 * VolumeClaimTemplates.
 */
export interface StatefulSetPersistentVolumeClaimRetentionPolicy {
  /**
   * WhenDeleted specifies what happens to PVCs created from StatefulSet VolumeClaimTemplates when the StatefulSet is
   * deleted.
   */
  whenDeleted?: string;
  /**
   * WhenScaled specifies what happens to PVCs created from StatefulSet VolumeClaimTemplates when the StatefulSet is
   * scaled down.
   */
  whenScaled?: string;
}

/** A StatefulSetSpec is the specification of a StatefulSet. */
export interface StatefulSetSpec {
  /**
   * Minimum number of seconds for which a newly created pod should be ready without any of its container crashing for
   * it to be considered available.
   */
  minReadySeconds?: number;
  /**
   * ordinals controls the numbering of replica indices in a StatefulSet. The default ordinals behavior assigns a "0"
   * index to the first replica and increments the index by one for each additional replica requested.
   */
  ordinals?: StatefulSetOrdinals;
  /**
   * persistentVolumeClaimRetentionPolicy describes the lifecycle of persistent volume claims created from
   * volumeClaimTemplates.
   */
  persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy;
  /**
   * podManagementPolicy controls how pods are created during initial scale up, when replacing pods on nodes, or when
   * scaling down.
   */
  podManagementPolicy?: PodManagementPolicyType;
  /**
   * replicas is the desired number of replicas of the given Template. These are replicas in the sense that they are
   * instantiations of the same Template, but individual replicas also have a consistent identity.
   */
  replicas?: number;
  /**
   * revisionHistoryLimit is the maximum number of revisions that will be maintained in the StatefulSet's revision
   * history.
   */
  revisionHistoryLimit?: number;
  /** selector is a label query over pods that should match the replica count. */
  selector: metaV1.LabelSelector;
  /**
   * serviceName is the name of the service that governs this StatefulSet. This service must exist before the
   * StatefulSet, and is responsible for the network identity of the set.
   */
  serviceName?: string;
  /** template is the object that describes the pod that will be created if insufficient replicas are detected. */
  template: coreV1.PodTemplateSpec;
  /**
   * updateStrategy indicates the StatefulSetUpdateStrategy that will be employed to update Pods in the StatefulSet when
   * a revision is made to Template.
   */
  updateStrategy?: StatefulSetUpdateStrategy;
  /** volumeClaimTemplates is a list of claims that pods are allowed to reference. */
  volumeClaimTemplates?: Nested<coreV1.PersistentVolumeClaim>[];
}

/** StatefulSetStatus represents the current state of a StatefulSet. */
export interface StatefulSetStatus {
  /** Total number of available pods (ready for at least minReadySeconds) targeted by this statefulset. */
  availableReplicas?: number;
  /**
   * collisionCount is the count of hash collisions for the StatefulSet. The StatefulSet controller uses this field as a
   * collision avoidance mechanism when it needs to create the name for the newest ControllerRevision.
   */
  collisionCount?: number;
  /** Represents the latest available observations of a statefulset's current state. */
  conditions?: StatefulSetCondition[];
  /**
   * currentReplicas is the number of Pods created by the StatefulSet controller from the StatefulSet version indicated
   * by currentRevision.
   */
  currentReplicas?: number;
  /**
   * currentRevision, if not empty, indicates the version of the StatefulSet used to generate Pods in the sequence
   * [0,currentReplicas).
   */
  currentRevision?: string;
  /** observedGeneration is the most recent generation observed for this StatefulSet. */
  observedGeneration?: number;
  /** readyReplicas is the number of pods created for this StatefulSet with a Ready Condition. */
  readyReplicas?: number;
  /** replicas is the number of Pods created by the StatefulSet controller. */
  replicas: number;
  /**
   * updateRevision, if not empty, indicates the version of the StatefulSet used to generate Pods in the sequence
   * [replicas-updatedReplicas,replicas)
   */
  updateRevision?: string;
  /**
   * updatedReplicas is the number of Pods created by the StatefulSet controller from the StatefulSet version indicated
   * by updateRevision.
   */
  updatedReplicas?: number;
}

/** StatefulSetUpdateStrategy indicates the strategy that the StatefulSet controller will use to perform updates. */
export interface StatefulSetUpdateStrategy {
  /** RollingUpdate is used to communicate parameters when Type is RollingUpdateStatefulSetStrategyType. */
  rollingUpdate?: RollingUpdateStatefulSetStrategy;
  /** Type indicates the type of the StatefulSetUpdateStrategy. Default is RollingUpdate. */
  type?: StatefulSetUpdateStrategyType;
}

/**
 * The values of `DaemonSetUpdateStrategyType`.
 *
 * - `"OnDelete"` Replace the old daemons only when it's killed
 * - `"RollingUpdate"` Replace the old daemons by new ones using rolling update i.e replace them on each node one
 *   after the other.
 */
export type DaemonSetUpdateStrategyType = "OnDelete" | "RollingUpdate";

/**
 * The values of `DeploymentStrategyType`.
 *
 * - `"Recreate"` Kill all existing pods before creating new ones.
 * - `"RollingUpdate"` Replace the old ReplicaSets by new one using rolling update i.e gradually scale down the old
 *   ReplicaSets and scale up the new one.
 */
export type DeploymentStrategyType = "Recreate" | "RollingUpdate";

/**
 * The values of `PodManagementPolicyType`.
 *
 * - `"OrderedReady"` will create pods in strictly increasing order on scale up and strictly decreasing order on scale
 *   down, progressing only when the previous pod is ready or terminated.
 * - `"Parallel"` will create and delete pods as soon as the stateful set replica count is changed, and will not wait
 *   for pods to be ready or complete termination.
 */
export type PodManagementPolicyType = "OrderedReady" | "Parallel";

/**
 * The values of `StatefulSetUpdateStrategyType`.
 *
 * - `"OnDelete"` triggers the legacy behavior.
 * - `"RollingUpdate"` indicates that update will be applied to all Pods in the StatefulSet with respect to the
 *   StatefulSet ordering constraints.
 */
export type StatefulSetUpdateStrategyType = "OnDelete" | "RollingUpdate";
