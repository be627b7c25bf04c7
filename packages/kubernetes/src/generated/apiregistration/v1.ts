// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as metaV1 from "../meta/v1.ts";
import type { BuiltInResource } from "../../built-in-resource.ts";

const everyVerb: readonly string[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** APIService represents a server for a particular GroupVersion. Name must be "version.group". */
export interface APIService {
  apiVersion: "apiregistration.k8s.io/v1";
  kind: "APIService";
  metadata: metaV1.ObjectMeta;
  /** Spec contains information for locating and communicating with a server */
  spec: APIServiceSpec;
  /** Status contains derived information about an API server */
  status?: APIServiceStatus;
}

/** The resource `apiservices` of `apiregistration.k8s.io/v1`. */
export const APIService: BuiltInResource<APIService, "Cluster"> = {
  group: "apiregistration.k8s.io",
  version: "v1",
  kind: "APIService",
  plural: "apiservices",
  singular: "apiservice",
  scope: "Cluster",
  shortNames: [],
  categories: ["api-extensions"],
  subresources: ["status"],
  verbs: everyVerb,
};

/** APIServiceCondition describes the state of an APIService at a particular point */
export interface APIServiceCondition {
  /** Last time the condition transitioned from one status to another. */
  lastTransitionTime?: metaV1.Time;
  /** Human-readable message indicating details about last transition. */
  message?: string;
  /** Unique, one-word, CamelCase reason for the condition's last transition. */
  reason?: string;
  /** Status is the status of the condition. Can be True, False, Unknown. */
  status: string;
  /** Type is the type of the condition. */
  type: string;
}

/** APIServiceList is a list of APIService objects. */
export interface APIServiceList {
  apiVersion: "apiregistration.k8s.io/v1";
  kind: "APIServiceList";
  metadata: metaV1.ListMeta;
  /** Items is the list of APIService */
  items: APIService[];
}

/** APIServiceSpec contains information for locating and communicating with a server. */
export interface APIServiceSpec {
  /** CABundle is a PEM encoded CA bundle which will be used to validate an API server's serving certificate. */
  caBundle?: string;
  /** Group is the API group name this server hosts */
  group?: string;
  /**
   * GroupPriorityMinimum is the priority this group should have at least. Higher priority means that the group is
   * preferred by clients over lower priority ones.
   */
  groupPriorityMinimum: number;
  /** InsecureSkipTLSVerify disables TLS certificate verification when communicating with this server. */
  insecureSkipTLSVerify?: boolean;
  /** Service is a reference to the service for this API server. It must communicate on port 443. */
  service?: ServiceReference;
  /** Version is the API version this server hosts. For example, "v1" */
  version?: string;
  /** VersionPriority controls the ordering of this API version inside of its group. */
  versionPriority: number;
}

/** APIServiceStatus contains derived information about an API server */
export interface APIServiceStatus {
  /** Current service state of apiService. */
  conditions?: APIServiceCondition[];
}

/** ServiceReference holds a reference to Service.legacy.k8s.io */
export interface ServiceReference {
  /** Name is the name of the service */
  name?: string;
  /** Namespace is the namespace of the service */
  namespace?: string;
  /** If specified, the port on the service that hosting webhook. Default to 443 for backward compatibility. */
  port?: number;
}
