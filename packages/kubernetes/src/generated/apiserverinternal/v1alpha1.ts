// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as metaV1 from "../meta/v1.ts";
import type { BuiltInResource } from "../../built-in-resource.ts";

const everyVerb: readonly string[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/**
 * An API server instance reports the version it can decode and the version it encodes objects to when persisting
 * objects in the backend.
 */
export interface ServerStorageVersion {
  /** apiServerID is the ID of the reporting API server. */
  apiServerID: string;
  /** decodableVersions are the encoding versions the API server can handle to decode. */
  decodableVersions: string[];
  /** encodingVersion the API server encodes the object to when persisting it in the backend (e.g., etcd). */
  encodingVersion: string;
  /** servedVersions lists all versions the API server can serve. DecodableVersions must include all ServedVersions. */
  servedVersions?: string[];
}

/** Storage version of a specific resource. */
export interface StorageVersion {
  apiVersion: "internal.apiserver.k8s.io/v1alpha1";
  kind: "StorageVersion";
  metadata: metaV1.ObjectMeta;
  /** spec is an empty spec. It is here to comply with Kubernetes API style. */
  spec?: StorageVersionSpec;
  /**
   * status on the version the API server instance can decode from and encode objects to when persisting objects in the
   * backend.
   */
  status?: StorageVersionStatus;
}

/** The resource `storageversions` of `internal.apiserver.k8s.io/v1alpha1`. */
export const StorageVersion: BuiltInResource<StorageVersion, "Cluster"> = {
  group: "internal.apiserver.k8s.io",
  version: "v1alpha1",
  kind: "StorageVersion",
  plural: "storageversions",
  singular: "storageversion",
  scope: "Cluster",
  shortNames: [],
  categories: [],
  subresources: ["status"],
  verbs: everyVerb,
};

/** Describes the state of the storageVersion at a certain point. */
export interface StorageVersionCondition {
  /** lastTransitionTime is the last time the condition transitioned from one status to another. */
  lastTransitionTime?: metaV1.Time;
  /** message is a human readable string indicating details about the transition. */
  message: string;
  /** observedGeneration represents the .metadata.generation that the condition was set based upon, if field is set. */
  observedGeneration?: number;
  /** reason for the condition's last transition. */
  reason: string;
  /** status of the condition, one of True, False, Unknown. */
  status: string;
  /** type of the condition. */
  type: string;
}

/** A list of StorageVersions. */
export interface StorageVersionList {
  apiVersion: "internal.apiserver.k8s.io/v1alpha1";
  kind: "StorageVersionList";
  metadata: metaV1.ListMeta;
  /** Items holds a list of StorageVersion */
  items: StorageVersion[];
}

/** StorageVersionSpec is an empty spec. */
export type StorageVersionSpec = Record<string, never>;

/**
 * API server instances report the versions they can decode and the version they encode objects to when persisting
 * objects in the backend.
 */
export interface StorageVersionStatus {
  /**
   * commonEncodingVersion is set to an encoding storage version if all API server instances share that same version.
   */
  commonEncodingVersion?: string;
  /** conditions lists the latest available observations of the storageVersion's state. */
  conditions?: StorageVersionCondition[];
  /** storageVersions lists the reported versions per API server instance. */
  storageVersions?: ServerStorageVersion[];
}
