// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as metaV1 from "../meta/v1.ts";
import type { BuiltInResource } from "../../built-in-resource.ts";

const everyVerb: readonly string[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** Lease defines a lease concept. */
export interface Lease {
  apiVersion: "coordination.k8s.io/v1";
  kind: "Lease";
  metadata: metaV1.ObjectMeta;
  /** spec contains the specification of the Lease. */
  spec?: LeaseSpec;
}

/** The resource `leases` of `coordination.k8s.io/v1`. */
export const Lease: BuiltInResource<Lease, "Namespaced"> = {
  group: "coordination.k8s.io",
  version: "v1",
  kind: "Lease",
  plural: "leases",
  singular: "lease",
  scope: "Namespaced",
  shortNames: [],
  categories: [],
  subresources: [],
  verbs: everyVerb,
};

/** LeaseList is a list of Lease objects. */
export interface LeaseList {
  apiVersion: "coordination.k8s.io/v1";
  kind: "LeaseList";
  metadata: metaV1.ListMeta;
  /** items is a list of schema objects. */
  items: Lease[];
}

/** LeaseSpec is a specification of a Lease. */
export interface LeaseSpec {
  /** acquireTime is a time when the current lease was acquired. */
  acquireTime?: metaV1.MicroTime;
  /** holderIdentity contains the identity of the holder of a current lease. */
  holderIdentity?: string;
  /** leaseDurationSeconds is a duration that candidates for a lease need to wait to force acquire it. */
  leaseDurationSeconds?: number;
  /** leaseTransitions is the number of transitions of a lease between holders. */
  leaseTransitions?: number;
  /** PreferredHolder signals to a lease holder that the lease has a more optimal holder and should be given up. */
  preferredHolder?: string;
  /** renewTime is a time when the current holder of a lease has last updated the lease. */
  renewTime?: metaV1.MicroTime;
  /** Strategy indicates the strategy for picking the leader for coordinated leader election. */
  strategy?: string;
}
