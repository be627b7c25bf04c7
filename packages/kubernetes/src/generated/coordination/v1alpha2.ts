// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as metaV1 from "../meta/v1.ts";
import type { BuiltInResource } from "../../built-in-resource.ts";

const everyVerb: readonly string[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/**
 * LeaseCandidate defines a candidate for a Lease object. Candidates are created such that coordinated leader election
 * will pick the best leader from the list of candidates.
 */
export interface LeaseCandidate {
  apiVersion: "coordination.k8s.io/v1alpha2";
  kind: "LeaseCandidate";
  metadata: metaV1.ObjectMeta;
  /** spec contains the specification of the Lease. */
  spec: LeaseCandidateSpec;
}

/** The resource `leasecandidates` of `coordination.k8s.io/v1alpha2`. */
export const LeaseCandidate: BuiltInResource<LeaseCandidate, "Namespaced"> = {
  group: "coordination.k8s.io",
  version: "v1alpha2",
  kind: "LeaseCandidate",
  plural: "leasecandidates",
  singular: "leasecandidate",
  scope: "Namespaced",
  shortNames: [],
  categories: [],
  subresources: [],
  verbs: everyVerb,
};

/** LeaseCandidateList is a list of Lease objects. */
export interface LeaseCandidateList {
  apiVersion: "coordination.k8s.io/v1alpha2";
  kind: "LeaseCandidateList";
  metadata: metaV1.ListMeta;
  /** items is a list of schema objects. */
  items: LeaseCandidate[];
}

/** LeaseCandidateSpec is a specification of a Lease. */
export interface LeaseCandidateSpec {
  /** BinaryVersion is the binary version. It must be in a semver format without leading `v`. */
  binaryVersion: string;
  /** EmulationVersion is the emulation version. It must be in a semver format without leading `v`. */
  emulationVersion?: string;
  /** LeaseName is the name of the lease for which this candidate is contending. */
  leaseName: string;
  /** PingTime is the last time that the server has requested the LeaseCandidate to renew. */
  pingTime?: metaV1.MicroTime;
  /**
   * RenewTime is the time that the LeaseCandidate was last updated. Any time a Lease needs to do leader election, the
   * PingTime field is updated to signal to the LeaseCandidate that they should update the RenewTime.
   */
  renewTime?: metaV1.MicroTime;
  /** Strategy is the strategy that coordinated leader election will use for picking the leader. */
  strategy: string;
}
