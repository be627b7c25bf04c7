// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as metaV1 from "../meta/v1.ts";
import type { BuiltInResource } from "../../built-in-resource.ts";

const everyVerb: readonly string[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/**
 * The device this taint is attached to has the "effect" on any claim which does not tolerate the taint and, through the
 * claim, to pods using the claim.
 */
export interface DeviceTaint {
  /**
   * The effect of the taint on claims that do not tolerate the taint and through such claims on the pods using them.
   */
  effect: DeviceTaintEffect;
  /** The taint key to be applied to a device. Must be a label name. */
  key: string;
  /**
   * TimeAdded represents the time at which the taint was added or (only in a DeviceTaintRule) the effect was modified.
   */
  timeAdded?: metaV1.Time;
  /** The taint value corresponding to the taint key. Must be a label value. */
  value?: string;
}

/** DeviceTaintRule adds one taint to all devices which match the selector. */
export interface DeviceTaintRule {
  apiVersion: "resource.k8s.io/v1alpha3";
  kind: "DeviceTaintRule";
  metadata: metaV1.ObjectMeta;
  /** Spec specifies the selector and one taint. */
  spec: DeviceTaintRuleSpec;
  /** Status provides information about what was requested in the spec. */
  status?: DeviceTaintRuleStatus;
}

/** The resource `devicetaintrules` of `resource.k8s.io/v1alpha3`. */
export const DeviceTaintRule: BuiltInResource<DeviceTaintRule, "Cluster"> = {
  group: "resource.k8s.io",
  version: "v1alpha3",
  kind: "DeviceTaintRule",
  plural: "devicetaintrules",
  singular: "devicetaintrule",
  scope: "Cluster",
  shortNames: [],
  categories: [],
  subresources: ["status"],
  verbs: everyVerb,
};

/** DeviceTaintRuleList is a collection of DeviceTaintRules. */
export interface DeviceTaintRuleList {
  apiVersion: "resource.k8s.io/v1alpha3";
  kind: "DeviceTaintRuleList";
  metadata: metaV1.ListMeta;
  /** Items is the list of DeviceTaintRules. */
  items: DeviceTaintRule[];
}

/** DeviceTaintRuleSpec specifies the selector and one taint. */
export interface DeviceTaintRuleSpec {
  /**
   * DeviceSelector defines which device(s) the taint is applied to. All selector criteria must be satisfied for a
   * device to match.
   */
  deviceSelector?: DeviceTaintSelector;
  /** The taint that gets applied to matching devices. */
  taint: DeviceTaint;
}

/** DeviceTaintRuleStatus provides information about an on-going pod eviction. */
export interface DeviceTaintRuleStatus {
  /**
   * Conditions provide information about the state of the DeviceTaintRule and the cluster at some point in time, in a
   * machine-readable and human-readable format.
   */
  conditions?: metaV1.Condition[];
}

/** DeviceTaintSelector defines which device(s) a DeviceTaintRule applies to. */
export interface DeviceTaintSelector {
  /**
   * If device is set, only devices with that name are selected. This field corresponds to slice.spec.devices[].name.
   */
  device?: string;
  /** If driver is set, only devices from that driver are selected. This fields corresponds to slice.spec.driver. */
  driver?: string;
  /** If pool is set, only devices in that pool are selected. */
  pool?: string;
}

/** PoolStatus contains status information for a single resource pool. */
export interface PoolStatus {
  /** AllocatedDevices is the number of devices currently allocated to claims. */
  allocatedDevices?: number;
  /**
   * AvailableDevices is the number of devices available for allocation. This equals TotalDevices - AllocatedDevices -
   * UnavailableDevices.
   */
  availableDevices?: number;
  /** Driver is the DRA driver name for this pool. Must be a DNS subdomain (e.g., "gpu.example.com"). */
  driver: string;
  /** Generation is the pool generation observed across all ResourceSlices in this pool. */
  generation: number;
  /**
   * NodeName is the node this pool is associated with. When omitted, the pool is not associated with a specific node.
   */
  nodeName?: string;
  /** PoolName is the name of the pool. Must be a valid resource pool name (DNS subdomains separated by "/"). */
  poolName: string;
  /** ResourceSliceCount is the number of ResourceSlices that make up this pool. */
  resourceSliceCount?: number;
  /** TotalDevices is the total number of devices in the pool across all slices. */
  totalDevices?: number;
  /**
   * UnavailableDevices is the number of devices that are not available due to taints or other conditions, but are not
   * allocated.
   */
  unavailableDevices?: number;
  /** ValidationError is set when the pool's data could not be fully validated (e.g., incomplete slice publication). */
  validationError?: string;
}

/** ResourcePoolStatusRequest triggers a one-time calculation of resource pool status based on the provided filters. */
export interface ResourcePoolStatusRequest {
  apiVersion: "resource.k8s.io/v1alpha3";
  kind: "ResourcePoolStatusRequest";
  metadata: metaV1.ObjectMeta;
  /** Spec defines the filters for which pools to include in the status. The spec is immutable once created. */
  spec: ResourcePoolStatusRequestSpec;
  /** Status is populated by the controller with the calculated pool status. */
  status?: ResourcePoolStatusRequestStatus;
}

/** The resource `resourcepoolstatusrequests` of `resource.k8s.io/v1alpha3`. */
export const ResourcePoolStatusRequest: BuiltInResource<ResourcePoolStatusRequest, "Cluster"> = {
  group: "resource.k8s.io",
  version: "v1alpha3",
  kind: "ResourcePoolStatusRequest",
  plural: "resourcepoolstatusrequests",
  singular: "resourcepoolstatusrequest",
  scope: "Cluster",
  shortNames: [],
  categories: [],
  subresources: ["status"],
  verbs: everyVerb,
};

/** ResourcePoolStatusRequestList is a collection of ResourcePoolStatusRequests. */
export interface ResourcePoolStatusRequestList {
  apiVersion: "resource.k8s.io/v1alpha3";
  kind: "ResourcePoolStatusRequestList";
  metadata: metaV1.ListMeta;
  /** Items is the list of ResourcePoolStatusRequests. */
  items: ResourcePoolStatusRequest[];
}

/** ResourcePoolStatusRequestSpec defines the filters for the pool status request. */
export interface ResourcePoolStatusRequestSpec {
  /**
   * Driver specifies the DRA driver name to filter pools. Only pools from ResourceSlices with this driver will be
   * included.
   */
  driver: string;
  /** Limit optionally specifies the maximum number of pools to return in the status. */
  limit?: number;
  /**
   * PoolName optionally filters to a specific pool name. If not specified, all pools from the specified driver are
   * included.
   */
  poolName?: string;
}

/** ResourcePoolStatusRequestStatus contains the calculated pool status information. */
export interface ResourcePoolStatusRequestStatus {
  /**
   * Conditions provide information about the state of the request. A condition with type=Complete or type=Failed will
   * always be set when the status is populated.
   */
  conditions?: metaV1.Condition[];
  /** PoolCount is the total number of pools that matched the filter criteria, regardless of truncation. */
  poolCount: number;
  /** Pools contains the first `spec.limit` matching pools, sorted by driver then pool name. */
  pools?: PoolStatus[];
}

/**
 * The values of `DeviceTaintEffect`.
 *
 * - `"NoExecute"` Evict any already-running pods that do not tolerate the device taint.
 * - `"NoSchedule"` Do not allow new pods to schedule which use a tainted device unless they tolerate the taint, but
 *   allow all pods submitted to Kubelet without going through the scheduler to start, and allow all already-running
 *   pods to continue running.
 * - `"None"` No effect, the taint is purely informational.
 */
export type DeviceTaintEffect = "NoExecute" | "NoSchedule" | "None";
