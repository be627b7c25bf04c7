// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as metaV1 from "../meta/v1.ts";
import type { BuiltInResource } from "../../built-in-resource.ts";

const everyVerb: readonly string[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** StorageVersionMigration represents a migration of stored data to the latest storage version. */
export interface StorageVersionMigration {
  apiVersion: "storagemigration.k8s.io/v1beta1";
  kind: "StorageVersionMigration";
  metadata: metaV1.ObjectMeta;
  /** Specification of the migration. */
  spec: StorageVersionMigrationSpec;
  /** Status of the migration. */
  status?: StorageVersionMigrationStatus;
}

/** The resource `storageversionmigrations` of `storagemigration.k8s.io/v1beta1`. */
export const StorageVersionMigration: BuiltInResource<StorageVersionMigration, "Cluster"> = {
  group: "storagemigration.k8s.io",
  version: "v1beta1",
  kind: "StorageVersionMigration",
  plural: "storageversionmigrations",
  singular: "storageversionmigration",
  scope: "Cluster",
  shortNames: [],
  categories: [],
  subresources: ["status"],
  verbs: everyVerb,
};

/** StorageVersionMigrationList is a collection of storage version migrations. */
export interface StorageVersionMigrationList {
  apiVersion: "storagemigration.k8s.io/v1beta1";
  kind: "StorageVersionMigrationList";
  metadata: metaV1.ListMeta;
  /** Items is the list of StorageVersionMigration */
  items: StorageVersionMigration[];
}

/** Spec of the storage version migration. */
export interface StorageVersionMigrationSpec {
  /** The resource that is being migrated. The migrator sends requests to the endpoint serving the resource. */
  resource: metaV1.GroupResource;
}

/** Status of the storage version migration. */
export interface StorageVersionMigrationStatus {
  /** The latest available observations of the migration's current state. */
  conditions?: metaV1.Condition[];
  /** ResourceVersion to compare with the GC cache for performing the migration. */
  resourceVersion?: string;
}
