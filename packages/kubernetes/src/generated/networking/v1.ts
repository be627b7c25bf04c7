// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as coreV1 from "../core/v1.ts";
import type * as metaV1 from "../meta/v1.ts";
import type { BuiltInResource } from "../../built-in-resource.ts";

const everyVerb: readonly string[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** HTTPIngressPath associates a path with a backend. Incoming urls matching the path are forwarded to the backend. */
export interface HTTPIngressPath {
  /** backend defines the referenced service endpoint to which the traffic will be forwarded to. */
  backend: IngressBackend;
  /**
   * path is matched against the path of an incoming request. Currently it can contain characters disallowed from the
   * conventional "path" part of a URL as defined by RFC 3986.
   */
  path?: string;
  /**
   * pathType determines the interpretation of the path matching. PathType can be one of the following values: * Exact:
   * Matches the URL path exactly. * Prefix: Matches based on a URL path prefix split by '/'.
   */
  pathType: PathType;
}

/** HTTPIngressRuleValue is a list of http selectors pointing to backends. */
export interface HTTPIngressRuleValue {
  /** paths is a collection of paths that map requests to backends. */
  paths: HTTPIngressPath[];
}

/**
 * IPAddress represents a single IP of a single IP Family. The object is designed to be used by APIs that operate on IP
 * addresses.
 */
export interface IPAddress {
  apiVersion: "networking.k8s.io/v1";
  kind: "IPAddress";
  metadata: metaV1.ObjectMeta;
  /** spec is the desired state of the IPAddress. */
  spec: IPAddressSpec;
}

/** The resource `ipaddresses` of `networking.k8s.io/v1`. */
export const IPAddress: BuiltInResource<IPAddress, "Cluster"> = {
  group: "networking.k8s.io",
  version: "v1",
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
  apiVersion: "networking.k8s.io/v1";
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

/**
 * IPBlock describes a particular CIDR (Ex. "192.168.1.0/24","2001:db8::/64") that is allowed to the pods matched by a
 * NetworkPolicySpec's podSelector.
 */
export interface IPBlock {
  /** cidr is a string representing the IPBlock Valid examples are "192.168.1.0/24" or "2001:db8::/64" */
  cidr: string;
  /**
   * except is a slice of CIDRs that should not be included within an IPBlock Valid examples are "192.168.1.0/24" or
   * "2001:db8::/64" Except values will be rejected if they are outside the cidr range
   */
  except?: string[];
}

/** Ingress is a collection of rules that allow inbound connections to reach the endpoints defined by a backend. */
export interface Ingress {
  apiVersion: "networking.k8s.io/v1";
  kind: "Ingress";
  metadata: metaV1.ObjectMeta;
  /** spec is the desired state of the Ingress. */
  spec?: IngressSpec;
  /** status is the current state of the Ingress. */
  status?: IngressStatus;
}

/** The resource `ingresses` of `networking.k8s.io/v1`. */
export const Ingress: BuiltInResource<Ingress, "Namespaced"> = {
  group: "networking.k8s.io",
  version: "v1",
  kind: "Ingress",
  plural: "ingresses",
  singular: "ingress",
  scope: "Namespaced",
  shortNames: ["ing"],
  categories: [],
  subresources: ["status"],
  verbs: everyVerb,
};

/** IngressBackend describes all endpoints for a given service and port. */
export interface IngressBackend {
  /** resource is an ObjectRef to another Kubernetes resource in the namespace of the Ingress object. */
  resource?: coreV1.TypedLocalObjectReference;
  /** service references a service as a backend. This is a mutually exclusive setting with "Resource". */
  service?: IngressServiceBackend;
}

/** IngressClass represents the class of the Ingress, referenced by the Ingress Spec. */
export interface IngressClass {
  apiVersion: "networking.k8s.io/v1";
  kind: "IngressClass";
  metadata: metaV1.ObjectMeta;
  /** spec is the desired state of the IngressClass. */
  spec?: IngressClassSpec;
}

/** The resource `ingressclasses` of `networking.k8s.io/v1`. */
export const IngressClass: BuiltInResource<IngressClass, "Cluster"> = {
  group: "networking.k8s.io",
  version: "v1",
  kind: "IngressClass",
  plural: "ingressclasses",
  singular: "ingressclass",
  scope: "Cluster",
  shortNames: [],
  categories: [],
  subresources: [],
  verbs: everyVerb,
};

/** IngressClassList is a collection of IngressClasses. */
export interface IngressClassList {
  apiVersion: "networking.k8s.io/v1";
  kind: "IngressClassList";
  metadata: metaV1.ListMeta;
  /** items is the list of IngressClasses. */
  items: IngressClass[];
}

/**
 * IngressClassParametersReference identifies an API object. This can be used to specify a cluster or namespace-scoped
 * resource.
 */
export interface IngressClassParametersReference {
  /**
   * apiGroup is the group for the resource being referenced. If APIGroup is not specified, the specified Kind must be
   * in the core API group.
   */
  apiGroup?: string;
  /** kind is the type of resource being referenced. */
  kind: string;
  /** name is the name of resource being referenced. */
  name: string;
  /**
   * namespace is the namespace of the resource being referenced. This field is required when scope is set to
   * "Namespace" and must be unset when scope is set to "Cluster".
   */
  namespace?: string;
  /** scope represents if this refers to a cluster or namespace scoped resource. */
  scope?: string;
}

/** IngressClassSpec provides information about the class of an Ingress. */
export interface IngressClassSpec {
  /** controller refers to the name of the controller that should handle this class. */
  controller?: string;
  /** parameters is a link to a custom resource containing additional configuration for the controller. */
  parameters?: IngressClassParametersReference;
}

/** IngressList is a collection of Ingress. */
export interface IngressList {
  apiVersion: "networking.k8s.io/v1";
  kind: "IngressList";
  metadata: metaV1.ListMeta;
  /** items is the list of Ingress. */
  items: Ingress[];
}

/** IngressLoadBalancerIngress represents the status of a load-balancer ingress point. */
export interface IngressLoadBalancerIngress {
  /** hostname is set for load-balancer ingress points that are DNS based. */
  hostname?: string;
  /** ip is set for load-balancer ingress points that are IP based. */
  ip?: string;
  /** ports provides information about the ports exposed by this LoadBalancer. */
  ports?: IngressPortStatus[];
}

/** IngressLoadBalancerStatus represents the status of a load-balancer. */
export interface IngressLoadBalancerStatus {
  /** ingress is a list containing ingress points for the load-balancer. */
  ingress?: IngressLoadBalancerIngress[];
}

/** IngressPortStatus represents the error condition of a service port */
export interface IngressPortStatus {
  /**
   * error is to record the problem with the service port The format of the error shall comply with the following rules:
   * - built-in error values shall be specified in this file and those shall use CamelCase names - cloud provider
   * specific error values must have names that comply with the format foo.example.com/CamelCase.
   */
  error?: string;
  /** port is the port number of the ingress port. */
  port: number;
  /** protocol is the protocol of the ingress port. The supported values are: "TCP", "UDP", "SCTP" */
  protocol: coreV1.Protocol;
}

/** IngressRule represents the rules mapping the paths under a specified host to the related backend services. */
export interface IngressRule {
  /** host is the fully qualified domain name of a network host, as defined by RFC 3986. */
  host?: string;
  http?: HTTPIngressRuleValue;
}

/** IngressServiceBackend references a Kubernetes Service as a Backend. */
export interface IngressServiceBackend {
  /** name is the referenced service. The service must exist in the same namespace as the Ingress object. */
  name: string;
  /** port of the referenced service. A port name or port number is required for a IngressServiceBackend. */
  port?: ServiceBackendPort;
}

/** IngressSpec describes the Ingress the user wishes to exist. */
export interface IngressSpec {
  /** defaultBackend is the backend that should handle requests that don't match any rule. */
  defaultBackend?: IngressBackend;
  /**
   * ingressClassName is the name of an IngressClass cluster resource. Ingress controller implementations use this field
   * to know whether they should be serving this Ingress resource, by a transitive connection (controller ->
   * IngressClass -> Ingress resource).
   */
  ingressClassName?: string;
  /**
   * rules is a list of host rules used to configure the Ingress. If unspecified, or no rule matches, all traffic is
   * sent to the default backend.
   */
  rules?: IngressRule[];
  /** tls represents the TLS configuration. Currently the Ingress only supports a single TLS port, 443. */
  tls?: IngressTLS[];
}

/** IngressStatus describe the current state of the Ingress. */
export interface IngressStatus {
  /** loadBalancer contains the current status of the load-balancer. */
  loadBalancer?: IngressLoadBalancerStatus;
}

/** IngressTLS describes the transport layer security associated with an ingress. */
export interface IngressTLS {
  /**
   * hosts is a list of hosts included in the TLS certificate. The values in this list must match the name/s used in the
   * tlsSecret.
   */
  hosts?: string[];
  /** secretName is the name of the secret used to terminate TLS traffic on port 443. */
  secretName?: string;
}

/** NetworkPolicy describes what network traffic is allowed for a set of Pods */
export interface NetworkPolicy {
  apiVersion: "networking.k8s.io/v1";
  kind: "NetworkPolicy";
  metadata: metaV1.ObjectMeta;
  /** spec represents the specification of the desired behavior for this NetworkPolicy. */
  spec?: NetworkPolicySpec;
}

/** The resource `networkpolicies` of `networking.k8s.io/v1`. */
export const NetworkPolicy: BuiltInResource<NetworkPolicy, "Namespaced"> = {
  group: "networking.k8s.io",
  version: "v1",
  kind: "NetworkPolicy",
  plural: "networkpolicies",
  singular: "networkpolicy",
  scope: "Namespaced",
  shortNames: ["netpol"],
  categories: [],
  subresources: [],
  verbs: everyVerb,
};

/**
 * NetworkPolicyEgressRule describes a particular set of traffic that is allowed out of pods matched by a
 * NetworkPolicySpec's podSelector.
 */
export interface NetworkPolicyEgressRule {
  /**
   * ports is a list of destination ports for outgoing traffic. Each item in this list is combined using a logical OR.
   */
  ports?: NetworkPolicyPort[];
  /** to is a list of destinations for outgoing traffic of pods selected for this rule. */
  to?: NetworkPolicyPeer[];
}

/**
 * NetworkPolicyIngressRule describes a particular set of traffic that is allowed to the pods matched by a
 * NetworkPolicySpec's podSelector.
 */
export interface NetworkPolicyIngressRule {
  /** from is a list of sources which should be able to access the pods selected for this rule. */
  from?: NetworkPolicyPeer[];
  /** ports is a list of ports which should be made accessible on the pods selected for this rule. */
  ports?: NetworkPolicyPort[];
}

/** NetworkPolicyList is a list of NetworkPolicy objects. */
export interface NetworkPolicyList {
  apiVersion: "networking.k8s.io/v1";
  kind: "NetworkPolicyList";
  metadata: metaV1.ListMeta;
  /** items is a list of schema objects. */
  items: NetworkPolicy[];
}

/** NetworkPolicyPeer describes a peer to allow traffic to/from. Only certain combinations of fields are allowed */
export interface NetworkPolicyPeer {
  /** ipBlock defines policy on a particular IPBlock. If this field is set then neither of the other fields can be. */
  ipBlock?: IPBlock;
  /**
   * namespaceSelector selects namespaces using cluster-scoped labels. This field follows standard label selector
   * semantics; if present but empty, it selects all namespaces.
   */
  namespaceSelector?: metaV1.LabelSelector;
  /**
   * podSelector is a label selector which selects pods. This field follows standard label selector semantics; if
   * present but empty, it selects all pods.
   */
  podSelector?: metaV1.LabelSelector;
}

/** NetworkPolicyPort describes a port to allow traffic on */
export interface NetworkPolicyPort {
  /**
   * endPort indicates that the range of ports from port to endPort if set, inclusive, should be allowed by the policy.
   */
  endPort?: number;
  /** port represents the port on the given protocol. This can either be a numerical or named port on a pod. */
  port?: metaV1.IntOrString;
  /** protocol represents the protocol (TCP, UDP, or SCTP) which traffic must match. */
  protocol?: coreV1.Protocol;
}

/** NetworkPolicySpec provides the specification of a NetworkPolicy */
export interface NetworkPolicySpec {
  /** egress is a list of egress rules to be applied to the selected pods. */
  egress?: NetworkPolicyEgressRule[];
  /** ingress is a list of ingress rules to be applied to the selected pods. */
  ingress?: NetworkPolicyIngressRule[];
  /** podSelector selects the pods to which this NetworkPolicy object applies. */
  podSelector?: metaV1.LabelSelector;
  /** policyTypes is a list of rule types that the NetworkPolicy relates to. */
  policyTypes?: PolicyType[];
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

/** ServiceBackendPort is the service port being referenced. */
export interface ServiceBackendPort {
  /** name is the name of the port on the Service. This is a mutually exclusive setting with "Number". */
  name?: string;
  /** number is the numerical port number (e.g. 80) on the Service. This is a mutually exclusive setting with "Name". */
  number?: number;
}

/** ServiceCIDR defines a range of IP addresses using CIDR format (e.g. 192.168.0.0/24 or 2001:db2::/64). */
export interface ServiceCIDR {
  apiVersion: "networking.k8s.io/v1";
  kind: "ServiceCIDR";
  metadata: metaV1.ObjectMeta;
  /** spec is the desired state of the ServiceCIDR. */
  spec?: ServiceCIDRSpec;
  /** status represents the current state of the ServiceCIDR. */
  status?: ServiceCIDRStatus;
}

/** The resource `servicecidrs` of `networking.k8s.io/v1`. */
export const ServiceCIDR: BuiltInResource<ServiceCIDR, "Cluster"> = {
  group: "networking.k8s.io",
  version: "v1",
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
  apiVersion: "networking.k8s.io/v1";
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

/**
 * The values of `PathType`.
 *
 * - `"Exact"` matches the URL path exactly and with case sensitivity.
 * - `"ImplementationSpecific"` matching is up to the IngressClass.
 * - `"Prefix"` matches based on a URL path prefix split by '/'.
 */
export type PathType = "Exact" | "ImplementationSpecific" | "Prefix";

/** The values of `PolicyType`. */
export type PolicyType = "Egress" | "Ingress";
