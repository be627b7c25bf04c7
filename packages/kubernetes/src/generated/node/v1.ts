// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as coreV1 from "../core/v1.ts";
import type * as metaV1 from "../meta/v1.ts";
import type { BuiltInResource } from "../../built-in-resource.ts";

const everyVerb: readonly string[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** Overhead structure represents the resource overhead associated with running a pod. */
export interface Overhead {
  /** podFixed represents the fixed resource overhead associated with running a pod. */
  podFixed?: Record<string, metaV1.Quantity>;
}

/** RuntimeClass defines a class of container runtime supported in the cluster. */
export interface RuntimeClass {
  apiVersion: "node.k8s.io/v1";
  kind: "RuntimeClass";
  metadata: metaV1.ObjectMeta;
  /**
   * handler specifies the underlying runtime and configuration that the CRI implementation will use to handle pods of
   * this class.
   */
  handler: string;
  /** overhead represents the resource overhead associated with running a pod for a given RuntimeClass. */
  overhead?: Overhead;
  /**
   * scheduling holds the scheduling constraints to ensure that pods running with this RuntimeClass are scheduled to
   * nodes that support it.
   */
  scheduling?: Scheduling;
}

/** The resource `runtimeclasses` of `node.k8s.io/v1`. */
export const RuntimeClass: BuiltInResource<RuntimeClass, "Cluster"> = {
  group: "node.k8s.io",
  version: "v1",
  kind: "RuntimeClass",
  plural: "runtimeclasses",
  singular: "runtimeclass",
  scope: "Cluster",
  shortNames: [],
  categories: [],
  subresources: [],
  verbs: everyVerb,
};

/** RuntimeClassList is a list of RuntimeClass objects. */
export interface RuntimeClassList {
  apiVersion: "node.k8s.io/v1";
  kind: "RuntimeClassList";
  metadata: metaV1.ListMeta;
  /** items is a list of schema objects. */
  items: RuntimeClass[];
}

/** Scheduling specifies the scheduling constraints for nodes supporting a RuntimeClass. */
export interface Scheduling {
  /** nodeSelector lists labels that must be present on nodes that support this RuntimeClass. */
  nodeSelector?: Record<string, string>;
  /**
   * tolerations are appended (excluding duplicates) to pods running with this RuntimeClass during admission,
   * effectively unioning the set of nodes tolerated by the pod and the RuntimeClass.
   */
  tolerations?: coreV1.Toleration[];
}
