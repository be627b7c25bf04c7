// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as metaV1 from "../meta/v1.ts";

/** APIGroupDiscovery holds information about which resources are being served for all version of the API Group. */
export interface APIGroupDiscovery {
  apiVersion: "apidiscovery.k8s.io/v2";
  kind: "APIGroupDiscovery";
  metadata: metaV1.ObjectMeta;
  /**
   * versions are the versions supported in this group. They are sorted in descending order of preference, with the
   * preferred version being the first entry.
   */
  versions?: APIVersionDiscovery[];
}

/** APIGroupDiscoveryList is a resource containing a list of APIGroupDiscovery. */
export interface APIGroupDiscoveryList {
  apiVersion: "apidiscovery.k8s.io/v2";
  kind: "APIGroupDiscoveryList";
  metadata: metaV1.ListMeta;
  /** items is the list of groups for discovery. The groups are listed in priority order. */
  items: APIGroupDiscovery[];
}

/** APIResourceDiscovery provides information about an API resource for discovery. */
export interface APIResourceDiscovery {
  /** categories is a list of the grouped resources this resource belongs to (e.g. 'all'). */
  categories?: string[];
  /**
   * resource is the plural name of the resource. This is used in the URL path and is the unique identifier for this
   * resource across all versions in the API group.
   */
  resource: string;
  /**
   * responseKind describes the group, version, and kind of the serialization schema for the object type this endpoint
   * typically returns.
   */
  responseKind?: metaV1.GroupVersionKind;
  /** scope indicates the scope of a resource, either Cluster or Namespaced */
  scope: string;
  /** shortNames is a list of suggested short names of the resource. */
  shortNames?: string[];
  /**
   * singularResource is the singular name of the resource. This allows clients to handle plural and singular opaquely.
   */
  singularResource: string;
  /**
   * subresources is a list of subresources provided by this resource. Subresources are located at
   * /apis/<APIGroupDiscovery.objectMeta.name>/<APIVersionDiscovery.version>/<APIResourceDiscovery.Resource>/name-of-instance/<APIResourceDiscovery.subresources[i].subresource>
   */
  subresources?: APISubresourceDiscovery[];
  /**
   * verbs is a list of supported API operation types (this includes but is not limited to get, list, watch, create,
   * update, patch, delete, deletecollection, and proxy).
   */
  verbs: string[];
}

/** APISubresourceDiscovery provides information about an API subresource for discovery. */
export interface APISubresourceDiscovery {
  /**
   * acceptedTypes describes the kinds that this endpoint accepts. Subresources may accept the standard content types or
   * define custom negotiation schemes.
   */
  acceptedTypes?: metaV1.GroupVersionKind[];
  /**
   * responseKind describes the group, version, and kind of the serialization schema for the object type this endpoint
   * typically returns.
   */
  responseKind?: metaV1.GroupVersionKind;
  /**
   * subresource is the name of the subresource. This is used in the URL path and is the unique identifier for this
   * resource across all versions.
   */
  subresource: string;
  /**
   * verbs is a list of supported API operation types (this includes but is not limited to get, list, watch, create,
   * update, patch, delete, deletecollection, and proxy).
   */
  verbs: string[];
}

/**
 * APIVersionDiscovery holds a list of APIResourceDiscovery types that are served for a particular version within an API
 * Group.
 */
export interface APIVersionDiscovery {
  /** freshness marks whether a group version's discovery document is up to date. */
  freshness?: string;
  /** resources is a list of APIResourceDiscovery objects for the corresponding group version. */
  resources?: APIResourceDiscovery[];
  /** version is the name of the version within a group version. */
  version: string;
}
