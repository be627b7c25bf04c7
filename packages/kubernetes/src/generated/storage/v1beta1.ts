// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as metaV1 from "../meta/v1.ts";
import type { BuiltInResource } from "../../built-in-resource.ts";

const everyVerb: readonly string[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** VolumeAttributesClass represents a specification of mutable volume attributes defined by the CSI driver. */
export interface VolumeAttributesClass {
  apiVersion: "storage.k8s.io/v1beta1";
  kind: "VolumeAttributesClass";
  metadata: metaV1.ObjectMeta;
  /** Name of the CSI driver This field is immutable. */
  driverName: string;
  /**
   * parameters hold volume attributes defined by the CSI driver. These values are opaque to the Kubernetes and are
   * passed directly to the CSI driver.
   */
  parameters?: Record<string, string>;
}

/** The resource `volumeattributesclasses` of `storage.k8s.io/v1beta1`. */
export const VolumeAttributesClass: BuiltInResource<VolumeAttributesClass, "Cluster"> = {
  group: "storage.k8s.io",
  version: "v1beta1",
  kind: "VolumeAttributesClass",
  plural: "volumeattributesclasses",
  singular: "volumeattributesclass",
  scope: "Cluster",
  shortNames: ["vac"],
  categories: [],
  subresources: [],
  verbs: everyVerb,
};

/** VolumeAttributesClassList is a collection of VolumeAttributesClass objects. */
export interface VolumeAttributesClassList {
  apiVersion: "storage.k8s.io/v1beta1";
  kind: "VolumeAttributesClassList";
  metadata: metaV1.ListMeta;
  /** items is the list of VolumeAttributesClass objects. */
  items: VolumeAttributesClass[];
}
