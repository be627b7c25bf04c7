import type { ResourceType } from "@homeostat/core";
import { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { HorizontalPodAutoscaler } from "@homeostat/kubernetes/autoscaling/v2";
import { CronJob, Job } from "@homeostat/kubernetes/batch/v1";
import {
  ConfigMap,
  LimitRange,
  PersistentVolumeClaim,
  Pod,
  ResourceQuota,
  Secret,
  Service,
  ServiceAccount,
} from "@homeostat/kubernetes/core/v1";
import { Ingress, NetworkPolicy } from "@homeostat/kubernetes/networking/v1";
import { PodDisruptionBudget } from "@homeostat/kubernetes/policy/v1";
import { Role, RoleBinding } from "@homeostat/kubernetes/rbac/v1";

/** A kind whose objects custom resources and workloads own. */
export interface TreeKind {
  readonly type: ResourceType;
  /** True if the existence of an object is its state, so that its contents are not requested. */
  readonly isMetadataOnly: boolean;
}

/** Built-in kinds of the tree. The contents of ConfigMaps and Secrets are never requested for it. */
export const treeKinds: readonly TreeKind[] = [
  ...[Deployment, StatefulSet, DaemonSet, ReplicaSet, Job, CronJob, Pod, PersistentVolumeClaim].map((type) => ({
    type,
    isMetadataOnly: false,
  })),
  ...[
    Service,
    ServiceAccount,
    ConfigMap,
    Secret,
    Ingress,
    NetworkPolicy,
    PodDisruptionBudget,
    HorizontalPodAutoscaler,
    Role,
    RoleBinding,
    ResourceQuota,
    LimitRange,
  ].map((type) => ({ type, isMetadataOnly: true })),
];
