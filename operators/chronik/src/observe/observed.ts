// The state of a cluster as plain values. `decide/` works on these alone, so every decision can be tested by a table, and no decision
// depends on the shape of Kubernetes objects. All times are milliseconds since the epoch, from the clock of the API server.

import type { ComponentResult, DrainView, QuorumView, RestartCheckView } from "../component/contract.ts";
import type { StatefulComponent } from "../api/identity.ts";
import type { Color } from "../api/names.ts";
import type { Phase } from "../api/status.ts";

/** A reason why a pod cannot start. */
export interface StuckState {
  /** `Unschedulable`, or the reason of a waiting container. */
  readonly reason: string;
  /** The message of the scheduler or the kubelet. */
  readonly detail: string | undefined;
  /** Time since which it persists. */
  readonly since: number;
}

/** A pod of a StatefulSet. */
export interface ObservedMember {
  readonly ordinal: number;
  readonly podName: string;
  readonly uid: string;
  /** Value of the label `controller-revision-hash`. */
  readonly revision: string;
  /** Undefined until the kubelet has reported it. */
  readonly ip: string | undefined;
  /** Time since which the condition Ready is True; undefined if it is not True, or if the pod terminates. */
  readonly readySince: number | undefined;
  /** Time since which the condition Ready is not True, or the creation of a pod that was never ready; undefined if it is ready. */
  readonly unreadySince: number | undefined;
  readonly createdAt: number;
  readonly isTerminating: boolean;
  /** True if all containers run and have passed their startup probes: the pod may serve, although it is not ready. */
  readonly isStarted: boolean;
  /** Reason why the pod cannot start; undefined if it is ready, or if it is starting. */
  readonly stuck: StuckState | undefined;
  /** Number of restarts of its containers. */
  readonly restarts: number;
  readonly node: string | undefined;
  /** Address of its node, as the kubelet reports it. */
  readonly hostIP: string | undefined;
  readonly configHash: string | undefined;
  readonly secretHash: string | undefined;
  /** True if the pod has the annotation that requests a restart. */
  readonly isRestartRequested: boolean;
  /** True if the pod has the annotation that requests to delete the pod and its claim. */
  readonly isRebuildRequested: boolean;
  /** Results of calls of the component; undefined for calls that were not made. */
  readonly component: {
    readonly quorum?: ComponentResult<QuorumView> | undefined;
    readonly drain?: ComponentResult<DrainView> | undefined;
    readonly restartCheck?: ComponentResult<RestartCheckView> | undefined;
  };
}

/** A StatefulSet of a cluster with its pods. */
export interface ObservedStatefulSet {
  readonly uid: string;
  readonly isTerminating: boolean;
  readonly generation: number;
  readonly observedGeneration: number;
  readonly updateRevision: string;
  /** `spec.replicas`. */
  readonly replicas: number;
  /** Size in the claim template. */
  readonly templateSize: string | undefined;
  /** Hash of the pod template that the operator applied. */
  readonly templateHash: string | undefined;
  /** Hashes in its pod template. */
  readonly configHash: string | undefined;
  readonly secretHash: string | undefined;
}

/** A stateful component: its StatefulSet and its members. */
export interface ObservedTier {
  /** Undefined if the StatefulSet does not exist. */
  readonly set: ObservedStatefulSet | undefined;
  /** Pods that the StatefulSet controls, and those that it has yet to adopt, by ascending ordinal. */
  readonly members: readonly ObservedMember[];
}

/** A PersistentVolumeClaim of a member. */
export interface ObservedClaim {
  readonly name: string;
  readonly uid: string;
  readonly component: StatefulComponent;
  readonly ordinal: number;
  readonly request: string;
  /** Undefined until the claim is bound. */
  readonly capacity: string | undefined;
  readonly isResizing: boolean;
  /** Time since which the claim has the condition FileSystemResizePending. */
  readonly fileSystemResizeSince: number | undefined;
  readonly isTerminating: boolean;
  /** True if a pod of the namespace mounts it. */
  readonly isMounted: boolean;
  /** True if the claim was kept after a scale-down. */
  readonly isRetired: boolean;
  /** True if the claim was kept after the deletion of a former cluster of the same name. */
  readonly isRetained: boolean;
  /** Number of controllers of that cluster, if the claim records it. */
  readonly retainedControllers: number | undefined;
}

/** The color of a search Deployment. `plain` is the Deployment of rolling updates. */
export type SearchColor = Color | "plain";

/** A search Deployment. */
export interface ObservedDeployment {
  readonly color: SearchColor;
  readonly generation: number;
  readonly observedGeneration: number;
  /** Hash of the pod template that the operator applied. */
  readonly templateHash: string | undefined;
  /** `spec.replicas`. */
  readonly desiredReplicas: number;
  readonly replicas: number;
  readonly updatedReplicas: number;
  readonly readyReplicas: number;
  /** True if the condition Progressing has the reason ProgressDeadlineExceeded. */
  readonly isDeadlineExceeded: boolean;
}

/** A pod of a search Deployment. */
export interface ObservedSearchPod {
  readonly podName: string;
  readonly uid: string;
  readonly ip: string | undefined;
  readonly color: SearchColor;
  readonly isReady: boolean;
  readonly stuck: StuckState | undefined;
  readonly isTerminating: boolean;
  readonly createdAt: number;
  readonly node: string | undefined;
  readonly zone: string | undefined;
}

/** A slot of the search EndpointSlice. */
export interface ObservedSlot {
  readonly slot: number;
  readonly podUid: string;
}

/** Replica counts that autoscalers have set; undefined for components without a ChronikNodeGroup. */
export interface ObservedNodeGroups {
  readonly controller: number | undefined;
  readonly ingest: number | undefined;
  readonly search: number | undefined;
}

/** A certificate of a referenced Secret. */
export interface ObservedCertificate {
  readonly secret: string;
  readonly notBefore: number;
  readonly notAfter: number;
}

/** The parts of the previous status that decisions continue from. */
export interface PreviousStatus {
  readonly phase: Phase | undefined;
  readonly bootstrapped: boolean;
  readonly initialized: boolean;
  /** Version of the operator that completed the last rollout. */
  readonly operatorVersion: string | undefined;
  /** The last restart by the operator. */
  readonly lastRestart:
    | { readonly component: StatefulComponent; readonly podName: string; readonly at: number }
    | undefined;
  /** The member of each component that is being removed, and since when. */
  readonly scaleDown: Readonly<
    Partial<Record<StatefulComponent, { readonly podName: string; readonly since: number }>>
  >;
  readonly canary:
    | {
        readonly component: StatefulComponent;
        readonly revision: string;
        /** Revision that failed last. */
        readonly failedRevision: string | undefined;
      }
    | undefined;
  /** Time of the last switch of the search Service to another color. */
  readonly searchSwitchedAt: number | undefined;
}

/** All that a reconcile observes of one cluster. */
export interface Observed {
  readonly controller: ObservedTier;
  readonly ingest: ObservedTier;
  readonly search: {
    readonly deployments: readonly ObservedDeployment[];
    readonly pods: readonly ObservedSearchPod[];
    readonly slots: readonly ObservedSlot[];
    /** Color that the search Service selects; undefined if the Service does not exist. */
    readonly activeColor: SearchColor | undefined;
  };
  readonly claims: readonly ObservedClaim[];
  readonly nodeGroups: ObservedNodeGroups;
  readonly certificates: readonly ObservedCertificate[];
  /** True if the ConfigMap of the controllers records that the quorum has existed. */
  readonly isBootstrapRecorded: boolean;
  readonly previous: PreviousStatus;
  /** Annotations of the ChronikCluster that decisions use. */
  readonly requests: {
    readonly skipScaleDownCheck: boolean;
    /** Name of the pod whose component check is skipped. */
    readonly skipComponentCheck: string | undefined;
    /** Update revision whose canary the user has approved. */
    readonly approvedCanary: string | undefined;
  };
}
