// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as coreV1 from "../core/v1.ts";
import type * as metaV1 from "../meta/v1.ts";
import type { BuiltInResource } from "../../built-in-resource.ts";

const everyVerb: readonly string[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** Endpoint represents a single logical "backend" implementing a service. */
export interface Endpoint {
  /**
   * addresses of this endpoint. For EndpointSlices of addressType "IPv4" or "IPv6", the values are IP addresses in
   * canonical form.
   */
  addresses: string[];
  /** conditions contains information about the current status of the endpoint. */
  conditions?: EndpointConditions;
  /**
   * deprecatedTopology contains topology information part of the v1beta1 API.
   *
   * @deprecated This field is deprecated, and will be removed when the v1beta1 API is removed (no sooner than
   * kubernetes v1.24).
   */
  deprecatedTopology?: Record<string, string>;
  /** hints contains information associated with how an endpoint should be consumed. */
  hints?: EndpointHints;
  /**
   * hostname of this endpoint. This field may be used by consumers of endpoints to distinguish endpoints from each
   * other (e.g. in DNS names).
   */
  hostname?: string;
  /**
   * nodeName represents the name of the Node hosting this endpoint. This can be used to determine endpoints local to a
   * Node.
   */
  nodeName?: string;
  /** targetRef is a reference to a Kubernetes object that represents this endpoint. */
  targetRef?: coreV1.ObjectReference;
  /** zone is the name of the Zone this endpoint exists in. */
  zone?: string;
}

/** EndpointConditions represents the current condition of an endpoint. */
export interface EndpointConditions {
  /**
   * ready indicates that this endpoint is ready to receive traffic, according to whatever system is managing the
   * endpoint.
   */
  ready?: boolean;
  /**
   * serving indicates that this endpoint is able to receive traffic, according to whatever system is managing the
   * endpoint.
   */
  serving?: boolean;
  /** terminating indicates that this endpoint is terminating. A nil value should be interpreted as "false". */
  terminating?: boolean;
}

/** EndpointHints provides hints describing how an endpoint should be consumed. */
export interface EndpointHints {
  /** forNodes indicates the node(s) this endpoint should be consumed by when using topology aware routing. */
  forNodes?: ForNode[];
  /** forZones indicates the zone(s) this endpoint should be consumed by when using topology aware routing. */
  forZones?: ForZone[];
}

/** EndpointPort represents a Port used by an EndpointSlice */
export interface EndpointPort {
  /**
   * The application protocol for this port. This is used as a hint for implementations to offer richer behavior for
   * protocols that they understand.
   */
  appProtocol?: string;
  /** name represents the name of this port. All ports in an EndpointSlice must have a unique name. */
  name?: string;
  /**
   * port represents the port number of the endpoint. If the EndpointSlice is derived from a Kubernetes service, this
   * must be set to the service's target port.
   */
  port?: number;
  /** protocol represents the IP protocol for this port. Must be UDP, TCP, or SCTP. */
  protocol?: coreV1.Protocol;
}

/**
 * EndpointSlice represents a set of service endpoints. Most EndpointSlices are created by the EndpointSlice controller
 * to represent the Pods selected by Service objects.
 */
export interface EndpointSlice {
  apiVersion: "discovery.k8s.io/v1";
  kind: "EndpointSlice";
  metadata: metaV1.ObjectMeta;
  /** addressType specifies the type of address carried by this EndpointSlice. */
  addressType: AddressType;
  /** endpoints is a list of unique endpoints in this slice. Each slice may include a maximum of 1000 endpoints. */
  endpoints?: Endpoint[];
  /** ports specifies the list of network ports exposed by each endpoint in this slice. */
  ports?: EndpointPort[];
}

/** The resource `endpointslices` of `discovery.k8s.io/v1`. */
export const EndpointSlice: BuiltInResource<EndpointSlice, "Namespaced"> = {
  group: "discovery.k8s.io",
  version: "v1",
  kind: "EndpointSlice",
  plural: "endpointslices",
  singular: "endpointslice",
  scope: "Namespaced",
  shortNames: [],
  categories: [],
  subresources: [],
  verbs: everyVerb,
};

/** EndpointSliceList represents a list of endpoint slices */
export interface EndpointSliceList {
  apiVersion: "discovery.k8s.io/v1";
  kind: "EndpointSliceList";
  metadata: metaV1.ListMeta;
  /** items is the list of endpoint slices */
  items: EndpointSlice[];
}

/** ForNode provides information about which nodes should consume this endpoint. */
export interface ForNode {
  /** name represents the name of the node. */
  name: string;
}

/** ForZone provides information about which zones should consume this endpoint. */
export interface ForZone {
  /** name represents the name of the zone. */
  name: string;
}

/**
 * The values of `AddressType`.
 *
 * - `"FQDN"` represents a FQDN.
 * - `"IPv4"` represents an IPv4 Address.
 * - `"IPv6"` represents an IPv6 Address.
 */
export type AddressType = "FQDN" | "IPv4" | "IPv6";
