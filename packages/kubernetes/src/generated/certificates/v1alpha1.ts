// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as metaV1 from "../meta/v1.ts";
import type { BuiltInResource } from "../../built-in-resource.ts";

const everyVerb: readonly string[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** ClusterTrustBundle is a cluster-scoped container for X.509 trust anchors (root certificates). */
export interface ClusterTrustBundle {
  apiVersion: "certificates.k8s.io/v1alpha1";
  kind: "ClusterTrustBundle";
  metadata: metaV1.ObjectMeta;
  /** spec contains the signer (if any) and trust anchors. */
  spec: ClusterTrustBundleSpec;
}

/** The resource `clustertrustbundles` of `certificates.k8s.io/v1alpha1`. */
export const ClusterTrustBundle: BuiltInResource<ClusterTrustBundle, "Cluster"> = {
  group: "certificates.k8s.io",
  version: "v1alpha1",
  kind: "ClusterTrustBundle",
  plural: "clustertrustbundles",
  singular: "clustertrustbundle",
  scope: "Cluster",
  shortNames: [],
  categories: [],
  subresources: [],
  verbs: everyVerb,
};

/** ClusterTrustBundleList is a collection of ClusterTrustBundle objects */
export interface ClusterTrustBundleList {
  apiVersion: "certificates.k8s.io/v1alpha1";
  kind: "ClusterTrustBundleList";
  metadata: metaV1.ListMeta;
  /** items is a collection of ClusterTrustBundle objects */
  items: ClusterTrustBundle[];
}

/** ClusterTrustBundleSpec contains the signer and trust anchors. */
export interface ClusterTrustBundleSpec {
  /** signerName indicates the associated signer, if any. */
  signerName?: string;
  /**
   * trustBundle contains the individual X.509 trust anchors for this bundle, as PEM bundle of PEM-wrapped,
   * DER-formatted X.509 certificates.
   */
  trustBundle: string;
}
