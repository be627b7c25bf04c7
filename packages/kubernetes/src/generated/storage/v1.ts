// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as coreV1 from "../core/v1.ts";
import type * as metaV1 from "../meta/v1.ts";
import type { BuiltInResource } from "../../built-in-resource.ts";

const everyVerb: readonly string[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** CSIDriver captures information about a Container Storage Interface (CSI) volume driver deployed on the cluster. */
export interface CSIDriver {
  apiVersion: "storage.k8s.io/v1";
  kind: "CSIDriver";
  metadata: metaV1.ObjectMeta;
  /** spec represents the specification of the CSI Driver. */
  spec: CSIDriverSpec;
}

/** The resource `csidrivers` of `storage.k8s.io/v1`. */
export const CSIDriver: BuiltInResource<CSIDriver, "Cluster"> = {
  group: "storage.k8s.io",
  version: "v1",
  kind: "CSIDriver",
  plural: "csidrivers",
  singular: "csidriver",
  scope: "Cluster",
  shortNames: [],
  categories: [],
  subresources: [],
  verbs: everyVerb,
};

/** CSIDriverList is a collection of CSIDriver objects. */
export interface CSIDriverList {
  apiVersion: "storage.k8s.io/v1";
  kind: "CSIDriverList";
  metadata: metaV1.ListMeta;
  /** items is the list of CSIDriver */
  items: CSIDriver[];
}

/** CSIDriverSpec is the specification of a CSIDriver. */
export interface CSIDriverSpec {
  /**
   * attachRequired indicates this CSI volume driver requires an attach operation (because it implements the CSI
   * ControllerPublishVolume() method), and that the Kubernetes attach detach controller should call the attach volume
   * interface which checks the volumeattachment status and waits until the volume is attached before …
   */
  attachRequired?: boolean;
  /**
   * fsGroupPolicy defines if the underlying volume supports changing ownership and permission of the volume before
   * being mounted.
   */
  fsGroupPolicy?: string;
  /**
   * nodeAllocatableUpdatePeriodSeconds specifies the interval between periodic updates of the CSINode allocatable
   * capacity for this driver.
   */
  nodeAllocatableUpdatePeriodSeconds?: number;
  /**
   * podInfoOnMount indicates this CSI volume driver requires additional pod information (like podName, podUID, etc.)
   * during mount operations, if set to true.
   */
  podInfoOnMount?: boolean;
  /**
   * PreventPodSchedulingIfMissing indicates that the CSI driver wants to prevent pod scheduling if the CSI driver on
   * the node is missing.
   */
  preventPodSchedulingIfMissing?: boolean;
  /**
   * requiresRepublish indicates the CSI driver wants `NodePublishVolume` being periodically called to reflect any
   * possible change in the mounted volume.
   */
  requiresRepublish?: boolean;
  /** seLinuxMount specifies if the CSI driver supports "-o context" mount option. */
  seLinuxMount?: boolean;
  /**
   * serviceAccountTokenInSecrets is an opt-in for CSI drivers to indicate that service account tokens should be passed
   * via the Secrets field in NodePublishVolumeRequest instead of the VolumeContext field.
   */
  serviceAccountTokenInSecrets?: boolean;
  /**
   * storageCapacity indicates that the CSI volume driver wants pod scheduling to consider the storage capacity that the
   * driver deployment will report by creating CSIStorageCapacity objects with capacity information, if set to true.
   */
  storageCapacity?: boolean;
  /**
   * tokenRequests indicates the CSI driver needs pods' service account tokens it is mounting volume for to do necessary
   * authentication.
   */
  tokenRequests?: TokenRequest[];
  /** volumeLifecycleModes defines what kind of volumes this CSI volume driver supports. */
  volumeLifecycleModes?: string[];
}

/**
 * CSINode holds information about all CSI drivers installed on a node. CSI drivers do not need to create the CSINode
 * object directly.
 */
export interface CSINode {
  apiVersion: "storage.k8s.io/v1";
  kind: "CSINode";
  metadata: metaV1.ObjectMeta;
  /** spec is the specification of CSINode */
  spec: CSINodeSpec;
}

/** The resource `csinodes` of `storage.k8s.io/v1`. */
export const CSINode: BuiltInResource<CSINode, "Cluster"> = {
  group: "storage.k8s.io",
  version: "v1",
  kind: "CSINode",
  plural: "csinodes",
  singular: "csinode",
  scope: "Cluster",
  shortNames: [],
  categories: [],
  subresources: [],
  verbs: everyVerb,
};

/** CSINodeDriver holds information about the specification of one CSI driver installed on a node */
export interface CSINodeDriver {
  /** allocatable represents the volume resources of a node that are available for scheduling. */
  allocatable?: VolumeNodeResources;
  /** name represents the name of the CSI driver that this object refers to. */
  name: string;
  /**
   * nodeID of the node from the driver point of view. This field enables Kubernetes to communicate with storage systems
   * that do not share the same nomenclature for nodes.
   */
  nodeID: string;
  /**
   * topologyKeys is the list of keys supported by the driver. When a driver is initialized on a cluster, it provides a
   * set of topology keys that it understands (e.g. "company.com/zone", "company.com/region").
   */
  topologyKeys?: string[];
}

/** CSINodeList is a collection of CSINode objects. */
export interface CSINodeList {
  apiVersion: "storage.k8s.io/v1";
  kind: "CSINodeList";
  metadata: metaV1.ListMeta;
  /** items is the list of CSINode */
  items: CSINode[];
}

/** CSINodeSpec holds information about the specification of all CSI drivers installed on a node */
export interface CSINodeSpec {
  /** drivers is a list of information of all CSI Drivers existing on a node. */
  drivers: CSINodeDriver[];
}

/**
 * CSIStorageCapacity stores the result of one CSI GetCapacity call. For a given StorageClass, this describes the
 * available capacity in a particular topology segment.
 */
export interface CSIStorageCapacity {
  apiVersion: "storage.k8s.io/v1";
  kind: "CSIStorageCapacity";
  metadata: metaV1.ObjectMeta;
  /**
   * capacity is the value reported by the CSI driver in its GetCapacityResponse for a GetCapacityRequest with topology
   * and parameters that match the previous fields.
   */
  capacity?: metaV1.Quantity;
  /**
   * maximumVolumeSize is the value reported by the CSI driver in its GetCapacityResponse for a GetCapacityRequest with
   * topology and parameters that match the previous fields.
   */
  maximumVolumeSize?: metaV1.Quantity;
  /** nodeTopology defines which nodes have access to the storage for which capacity was reported. */
  nodeTopology?: metaV1.LabelSelector;
  /** storageClassName represents the name of the StorageClass that the reported capacity applies to. */
  storageClassName: string;
}

/** The resource `csistoragecapacities` of `storage.k8s.io/v1`. */
export const CSIStorageCapacity: BuiltInResource<CSIStorageCapacity, "Namespaced"> = {
  group: "storage.k8s.io",
  version: "v1",
  kind: "CSIStorageCapacity",
  plural: "csistoragecapacities",
  singular: "csistoragecapacity",
  scope: "Namespaced",
  shortNames: [],
  categories: [],
  subresources: [],
  verbs: everyVerb,
};

/** CSIStorageCapacityList is a collection of CSIStorageCapacity objects. */
export interface CSIStorageCapacityList {
  apiVersion: "storage.k8s.io/v1";
  kind: "CSIStorageCapacityList";
  metadata: metaV1.ListMeta;
  /** items is the list of CSIStorageCapacity objects. */
  items: CSIStorageCapacity[];
}

/**
 * StorageClass describes the parameters for a class of storage for which PersistentVolumes can be dynamically
 * provisioned.
 */
export interface StorageClass {
  apiVersion: "storage.k8s.io/v1";
  kind: "StorageClass";
  metadata: metaV1.ObjectMeta;
  /** allowVolumeExpansion shows whether the storage class allow volume expand. */
  allowVolumeExpansion?: boolean;
  /** allowedTopologies restrict the node topologies where volumes can be dynamically provisioned. */
  allowedTopologies?: coreV1.TopologySelectorTerm[];
  /**
   * mountOptions controls the mountOptions for dynamically provisioned PersistentVolumes of this storage class. e.g.
   * ["ro", "soft"].
   */
  mountOptions?: string[];
  /** parameters holds the parameters for the provisioner that should create volumes of this storage class. */
  parameters?: Record<string, string>;
  /** provisioner indicates the type of the provisioner. */
  provisioner: string;
  /** reclaimPolicy controls the reclaimPolicy for dynamically provisioned PersistentVolumes of this storage class. */
  reclaimPolicy?: coreV1.PersistentVolumeReclaimPolicy;
  /** volumeBindingMode indicates how PersistentVolumeClaims should be provisioned and bound. */
  volumeBindingMode?: VolumeBindingMode;
}

/** The resource `storageclasses` of `storage.k8s.io/v1`. */
export const StorageClass: BuiltInResource<StorageClass, "Cluster"> = {
  group: "storage.k8s.io",
  version: "v1",
  kind: "StorageClass",
  plural: "storageclasses",
  singular: "storageclass",
  scope: "Cluster",
  shortNames: ["sc"],
  categories: [],
  subresources: [],
  verbs: everyVerb,
};

/** StorageClassList is a collection of storage classes. */
export interface StorageClassList {
  apiVersion: "storage.k8s.io/v1";
  kind: "StorageClassList";
  metadata: metaV1.ListMeta;
  /** items is the list of StorageClasses */
  items: StorageClass[];
}

/** TokenRequest contains parameters of a service account token. */
export interface TokenRequest {
  /**
   * audience is the intended audience of the token in "TokenRequestSpec". It will default to the audiences of kube
   * apiserver.
   */
  audience: string;
  /** expirationSeconds is the duration of validity of the token in "TokenRequestSpec". */
  expirationSeconds?: number;
}

/** VolumeAttachment captures the intent to attach or detach the specified volume to/from the specified node. */
export interface VolumeAttachment {
  apiVersion: "storage.k8s.io/v1";
  kind: "VolumeAttachment";
  metadata: metaV1.ObjectMeta;
  /** spec represents specification of the desired attach/detach volume behavior. */
  spec: VolumeAttachmentSpec;
  /**
   * status represents status of the VolumeAttachment request. Populated by the entity completing the attach or detach
   * operation, i.e. the external-attacher.
   */
  status?: VolumeAttachmentStatus;
}

/** The resource `volumeattachments` of `storage.k8s.io/v1`. */
export const VolumeAttachment: BuiltInResource<VolumeAttachment, "Cluster"> = {
  group: "storage.k8s.io",
  version: "v1",
  kind: "VolumeAttachment",
  plural: "volumeattachments",
  singular: "volumeattachment",
  scope: "Cluster",
  shortNames: [],
  categories: [],
  subresources: ["status"],
  verbs: everyVerb,
};

/** VolumeAttachmentList is a collection of VolumeAttachment objects. */
export interface VolumeAttachmentList {
  apiVersion: "storage.k8s.io/v1";
  kind: "VolumeAttachmentList";
  metadata: metaV1.ListMeta;
  /** items is the list of VolumeAttachments */
  items: VolumeAttachment[];
}

/**
 * VolumeAttachmentSource represents a volume that should be attached. Right now only PersistentVolumes can be attached
 * via external attacher, in the future we may allow also inline volumes in pods.
 */
export interface VolumeAttachmentSource {
  /**
   * inlineVolumeSpec contains all the information necessary to attach a persistent volume defined by a pod's inline
   * VolumeSource.
   */
  inlineVolumeSpec?: coreV1.PersistentVolumeSpec;
  /** persistentVolumeName represents the name of the persistent volume to attach. */
  persistentVolumeName?: string;
}

/** VolumeAttachmentSpec is the specification of a VolumeAttachment request. */
export interface VolumeAttachmentSpec {
  /** attacher indicates the name of the volume driver that MUST handle this request. */
  attacher: string;
  /** nodeName represents the node that the volume should be attached to. */
  nodeName: string;
  /** source represents the volume that should be attached. */
  source: VolumeAttachmentSource;
}

/** VolumeAttachmentStatus is the status of a VolumeAttachment request. */
export interface VolumeAttachmentStatus {
  /** attachError represents the last error encountered during attach operation, if any. */
  attachError?: VolumeError;
  /**
   * attached indicates the volume is successfully attached. This field must only be set by the entity completing the
   * attach operation, i.e. the external-attacher.
   */
  attached: boolean;
  /**
   * attachmentMetadata is populated with any information returned by the attach operation, upon successful attach, that
   * must be passed into subsequent WaitForAttach or Mount calls.
   */
  attachmentMetadata?: Record<string, string>;
  /** detachError represents the last error encountered during detach operation, if any. */
  detachError?: VolumeError;
}

/** VolumeAttributesClass represents a specification of mutable volume attributes defined by the CSI driver. */
export interface VolumeAttributesClass {
  apiVersion: "storage.k8s.io/v1";
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

/** The resource `volumeattributesclasses` of `storage.k8s.io/v1`. */
export const VolumeAttributesClass: BuiltInResource<VolumeAttributesClass, "Cluster"> = {
  group: "storage.k8s.io",
  version: "v1",
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
  apiVersion: "storage.k8s.io/v1";
  kind: "VolumeAttributesClassList";
  metadata: metaV1.ListMeta;
  /** items is the list of VolumeAttributesClass objects. */
  items: VolumeAttributesClass[];
}

/** VolumeError captures an error encountered during a volume operation. */
export interface VolumeError {
  /** errorCode is a numeric gRPC code representing the error encountered during Attach or Detach operations. */
  errorCode?: number;
  /** message represents the error encountered during Attach or Detach operation. */
  message?: string;
  /** time represents the time the error was encountered. */
  time?: metaV1.Time;
}

/** VolumeNodeResources is a set of resource limits for scheduling of volumes. */
export interface VolumeNodeResources {
  /** count indicates the maximum number of unique volumes managed by the CSI driver that can be used on a node. */
  count?: number;
}

/**
 * The values of `VolumeBindingMode`.
 *
 * - `"Immediate"` indicates that PersistentVolumeClaims should be immediately provisioned and bound.
 * - `"WaitForFirstConsumer"` indicates that PersistentVolumeClaims should not be provisioned and bound until the
 *   first Pod is created that references the PeristentVolumeClaim.
 */
export type VolumeBindingMode = "Immediate" | "WaitForFirstConsumer";
