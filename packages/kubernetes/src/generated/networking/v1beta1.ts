// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as metaV1 from "../meta/v1.ts";
import type { BuiltInResource } from "../../built-in-resource.ts";

const everyVerb: readonly string[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/**
 * IPAddress represents a single IP of a single IP Family. The object is designed to be used by APIs that operate on IP
 * addresses.
 */
export interface IPAddress {
  apiVersion: "networking.k8s.io/v1beta1";
  kind: "IPAddress";
  metadata: metaV1.ObjectMeta;
  /** spec is the desired state of the IPAddress. */
  spec: IPAddressSpec;
}

/** The resource `ipaddresses` of `networking.k8s.io/v1beta1`. */
export const IPAddress: BuiltInResource<IPAddress, "Cluster"> = {
  group: "networking.k8s.io",
  version: "v1beta1",
  kind: "IPAddress",
  plural: "ipaddresses",
  singular: "ipaddress",
  scope: "Cluster",
  shortNames: ["ip"],
  categories: [],
  subresources: [],
  verbs: everyVerb,
};

/** IPAddressList contains a list of IPAddress. */
export interface IPAddressList {
  apiVersion: "networking.k8s.io/v1beta1";
  kind: "IPAddressList";
  metadata: metaV1.ListMeta;
  /** items is the list of IPAddresses. */
  items: IPAddress[];
}

/** IPAddressSpec describe the attributes in an IP Address. */
export interface IPAddressSpec {
  /**
   * ParentRef references the resource that an IPAddress is attached to. An IPAddress must reference a parent object.
   */
  parentRef: ParentReference;
}

/** ParentReference describes a reference to a parent object. */
export interface ParentReference {
  /** Group is the group of the object being referenced. */
  group?: string;
  /** Name is the name of the object being referenced. */
  name: string;
  /** Namespace is the namespace of the object being referenced. */
  namespace?: string;
  /** Resource is the resource of the object being referenced. */
  resource: string;
}

/** ServiceCIDR defines a range of IP addresses using CIDR format (e.g. 192.168.0.0/24 or 2001:db2::/64). */
export interface ServiceCIDR {
  apiVersion: "networking.k8s.io/v1beta1";
  kind: "ServiceCIDR";
  metadata: metaV1.ObjectMeta;
  /** spec is the desired state of the ServiceCIDR. */
  spec?: ServiceCIDRSpec;
  /** status represents the current state of the ServiceCIDR. */
  status?: ServiceCIDRStatus;
}

/** The resource `servicecidrs` of `networking.k8s.io/v1beta1`. */
export const ServiceCIDR: BuiltInResource<ServiceCIDR, "Cluster"> = {
  group: "networking.k8s.io",
  version: "v1beta1",
  kind: "ServiceCIDR",
  plural: "servicecidrs",
  singular: "servicecidr",
  scope: "Cluster",
  shortNames: [],
  categories: [],
  subresources: ["status"],
  verbs: everyVerb,
};

/** ServiceCIDRList contains a list of ServiceCIDR objects. */
export interface ServiceCIDRList {
  apiVersion: "networking.k8s.io/v1beta1";
  kind: "ServiceCIDRList";
  metadata: metaV1.ListMeta;
  /** items is the list of ServiceCIDRs. */
  items: ServiceCIDR[];
}

/** ServiceCIDRSpec define the CIDRs the user wants to use for allocating ClusterIPs for Services. */
export interface ServiceCIDRSpec {
  /**
   * CIDRs defines the IP blocks in CIDR notation (e.g. "192.168.0.0/24" or "2001:db8::/64") from which to assign
   * service cluster IPs.
   */
  cidrs?: string[];
}

/** ServiceCIDRStatus describes the current state of the ServiceCIDR. */
export interface ServiceCIDRStatus {
  /** conditions holds an array of metav1.Condition that describe the state of the ServiceCIDR. */
  conditions?: metaV1.Condition[];
}
