// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as coreV1 from "../core/v1.ts";
import type * as metaV1 from "../meta/v1.ts";
import type { BuiltInResource } from "../../built-in-resource.ts";

const everyVerb: readonly string[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** PriorityClass defines mapping from a priority class name to the priority integer value. */
export interface PriorityClass {
  apiVersion: "scheduling.k8s.io/v1";
  kind: "PriorityClass";
  metadata: metaV1.ObjectMeta;
  /** description is an arbitrary string that usually provides guidelines on when this priority class should be used. */
  description?: string;
  /**
   * globalDefault specifies whether this PriorityClass should be considered as the default priority for pods that do
   * not have any priority class.
   */
  globalDefault?: boolean;
  /** preemptionPolicy is the Policy for preempting pods with lower priority. */
  preemptionPolicy?: coreV1.PreemptionPolicy;
  /**
   * value represents the integer value of this priority class. This is the actual priority that pods receive when they
   * have the name of this class in their pod spec.
   */
  value?: number;
}

/** The resource `priorityclasses` of `scheduling.k8s.io/v1`. */
export const PriorityClass: BuiltInResource<PriorityClass, "Cluster"> = {
  group: "scheduling.k8s.io",
  version: "v1",
  kind: "PriorityClass",
  plural: "priorityclasses",
  singular: "priorityclass",
  scope: "Cluster",
  shortNames: ["pc"],
  categories: [],
  subresources: [],
  verbs: everyVerb,
};

/** PriorityClassList is a collection of priority classes. */
export interface PriorityClassList {
  apiVersion: "scheduling.k8s.io/v1";
  kind: "PriorityClassList";
  metadata: metaV1.ListMeta;
  /** items is the list of PriorityClasses */
  items: PriorityClass[];
}
