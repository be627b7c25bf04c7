// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as metaV1 from "../meta/v1.ts";
import type { BuiltInResource } from "../../built-in-resource.ts";

const everyVerb: readonly string[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** CrossVersionObjectReference contains enough information to let you identify the referred resource. */
export interface CrossVersionObjectReference {
  /** apiVersion is the API version of the referent */
  apiVersion?: string;
  /**
   * kind is the kind of the referent; More info:
   * https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds
   */
  kind: string;
  /**
   * name is the name of the referent; More info:
   * https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#names
   */
  name: string;
}

/** configuration of a horizontal pod autoscaler. */
export interface HorizontalPodAutoscaler {
  apiVersion: "autoscaling/v1";
  kind: "HorizontalPodAutoscaler";
  metadata: metaV1.ObjectMeta;
  /** spec defines the behaviour of autoscaler. */
  spec: HorizontalPodAutoscalerSpec;
  /** status is the current information about the autoscaler. */
  status?: HorizontalPodAutoscalerStatus;
}

/** The resource `horizontalpodautoscalers` of `autoscaling/v1`. */
export const HorizontalPodAutoscaler: BuiltInResource<HorizontalPodAutoscaler, "Namespaced"> = {
  group: "autoscaling",
  version: "v1",
  kind: "HorizontalPodAutoscaler",
  plural: "horizontalpodautoscalers",
  singular: "horizontalpodautoscaler",
  scope: "Namespaced",
  shortNames: ["hpa"],
  categories: ["all"],
  subresources: ["status"],
  verbs: everyVerb,
};

/** list of horizontal pod autoscaler objects. */
export interface HorizontalPodAutoscalerList {
  apiVersion: "autoscaling/v1";
  kind: "HorizontalPodAutoscalerList";
  metadata: metaV1.ListMeta;
  /** items is the list of horizontal pod autoscaler objects. */
  items: HorizontalPodAutoscaler[];
}

/** specification of a horizontal pod autoscaler. */
export interface HorizontalPodAutoscalerSpec {
  /**
   * maxReplicas is the upper limit for the number of pods that can be set by the autoscaler; cannot be smaller than
   * MinReplicas.
   */
  maxReplicas: number;
  /** minReplicas is the lower limit for the number of replicas to which the autoscaler can scale down. */
  minReplicas?: number;
  /**
   * reference to scaled resource; horizontal pod autoscaler will learn the current resource consumption and will set
   * the desired number of pods by using its Scale subresource.
   */
  scaleTargetRef: CrossVersionObjectReference;
  /**
   * targetCPUUtilizationPercentage is the target average CPU utilization (represented as a percentage of requested CPU)
   * over all the pods; if not specified the default autoscaling policy will be used.
   */
  targetCPUUtilizationPercentage?: number;
}

/** current status of a horizontal pod autoscaler */
export interface HorizontalPodAutoscalerStatus {
  /**
   * currentCPUUtilizationPercentage is the current average CPU utilization over all pods, represented as a percentage
   * of requested CPU, e.g. 70 means that an average pod is using now 70% of its requested CPU.
   */
  currentCPUUtilizationPercentage?: number;
  /** currentReplicas is the current number of replicas of pods managed by this autoscaler. */
  currentReplicas: number;
  /** desiredReplicas is the desired number of replicas of pods managed by this autoscaler. */
  desiredReplicas: number;
  /**
   * lastScaleTime is the last time the HorizontalPodAutoscaler scaled the number of pods; used by the autoscaler to
   * control how often the number of pods is changed.
   */
  lastScaleTime?: metaV1.Time;
  /** observedGeneration is the most recent generation observed by this autoscaler. */
  observedGeneration?: number;
}

/** Scale represents a scaling request for a resource. */
export interface Scale {
  apiVersion: "autoscaling/v1";
  kind: "Scale";
  metadata: metaV1.ObjectMeta;
  /** spec defines the behavior of the scale. */
  spec?: ScaleSpec;
  /** status is the current status of the scale. Read-only. */
  status?: ScaleStatus;
}

/** ScaleSpec describes the attributes of a scale subresource. */
export interface ScaleSpec {
  /** replicas is the desired number of instances for the scaled object. */
  replicas?: number;
}

/** ScaleStatus represents the current status of a scale subresource. */
export interface ScaleStatus {
  /** replicas is the actual number of observed instances of the scaled object. */
  replicas: number;
  /** selector is the label query over pods that should match the replicas count. */
  selector?: string;
}
