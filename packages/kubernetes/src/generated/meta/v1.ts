// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from "@homeostat/core";
import type { Nested } from "../../nested.ts";

export type { ManagedFieldsEntry, ObjectMeta, OwnerReference };

/**
 * An exact amount such as `"500m"` or `"2Gi"`. A server answers with a string for its own kinds; in custom resources a
 * number stays a number, as it was written.
 */
export type Quantity = string | number;

/** APIGroup contains the name, the supported versions, and the preferred version of a group. */
export interface APIGroup {
  apiVersion: "v1";
  kind: "APIGroup";
  /** name is the name of the group. */
  name: string;
  /** preferredVersion is the version preferred by the API server, which probably is the storage version. */
  preferredVersion?: GroupVersionForDiscovery;
  /**
   * a map of client CIDR to server address that is serving this group. This is to help clients reach servers in the
   * most network-efficient way possible.
   */
  serverAddressByClientCIDRs?: ServerAddressByClientCIDR[];
  /** versions are the versions supported in this group. */
  versions: GroupVersionForDiscovery[];
}

/** APIGroupList is a list of APIGroup, to allow clients to discover the API at /apis. */
export interface APIGroupList {
  apiVersion: "v1";
  kind: "APIGroupList";
  /** groups is a list of APIGroup. */
  groups: Nested<APIGroup>[];
}

/** APIResource specifies the name of a resource and whether it is namespaced. */
export interface APIResource {
  /** categories is a list of the grouped resources this resource belongs to (e.g. 'all') */
  categories?: string[];
  /** group is the preferred group of the resource. Empty implies the group of the containing resource list. */
  group?: string;
  /** kind is the kind for the resource (e.g. 'Foo' is the kind for a resource 'foo') */
  kind: string;
  /** name is the plural name of the resource. */
  name: string;
  /** namespaced indicates if a resource is namespaced or not. */
  namespaced: boolean;
  /** shortNames is a list of suggested short names of the resource. */
  shortNames?: string[];
  /** singularName is the singular name of the resource. This allows clients to handle plural and singular opaquely. */
  singularName: string;
  /**
   * The hash value of the storage version, the version this resource is converted to when written to the data store.
   */
  storageVersionHash?: string;
  /**
   * verbs is a list of supported kube verbs (this includes get, list, watch, create, update, patch, delete,
   * deletecollection, and proxy)
   */
  verbs: string[];
  /**
   * version is the preferred version of the resource. Empty implies the version of the containing resource list For
   * subresources, this may have a different value, for example: v1 (while inside a v1beta1 version of the core
   * resource's group)".
   */
  version?: string;
}

/**
 * APIResourceList is a list of APIResource, it is used to expose the name of the resources supported in a specific
 * group and version, and if the resource is namespaced.
 */
export interface APIResourceList {
  apiVersion: "v1";
  kind: "APIResourceList";
  /** groupVersion is the group and version this APIResourceList is for. */
  groupVersion: string;
  /** resources contains the name of the resources and if they are namespaced. */
  resources: APIResource[];
}

/**
 * APIVersions lists the versions that are available, to allow clients to discover the API at /api, which is the root
 * path of the legacy v1 API.
 */
export interface APIVersions {
  apiVersion: "v1";
  kind: "APIVersions";
  /**
   * a map of client CIDR to server address that is serving this group. This is to help clients reach servers in the
   * most network-efficient way possible.
   */
  serverAddressByClientCIDRs: ServerAddressByClientCIDR[];
  /** versions are the api versions that are available. */
  versions: string[];
}

/** Condition contains details for one aspect of the current state of this API Resource. */
export interface Condition {
  /** lastTransitionTime is the last time the condition transitioned from one status to another. */
  lastTransitionTime: Time;
  /** message is a human readable message indicating details about the transition. */
  message: string;
  /** observedGeneration represents the .metadata.generation that the condition was set based upon. */
  observedGeneration?: number;
  /** reason contains a programmatic identifier indicating the reason for the condition's last transition. */
  reason: string;
  /** status of the condition, one of True, False, Unknown. */
  status: string;
  /** type of condition in CamelCase or in foo.example.com/CamelCase. */
  type: string;
}

/** CreateOptions may be provided when creating an API object. */
export interface CreateOptions {
  /** APIVersion defines the versioned schema of this representation of an object. */
  apiVersion?: string;
  /**
   * When present, indicates that modifications should not be persisted. An invalid or unrecognized dryRun directive
   * will result in an error response and no further processing of the request.
   */
  dryRun?: string[];
  /** fieldManager is a name associated with the actor or entity that is making these changes. */
  fieldManager?: string;
  /**
   * fieldValidation instructs the server on how to handle objects in the request (POST/PUT/PATCH) containing unknown or
   * duplicate fields.
   */
  fieldValidation?: string;
  /** Kind is a string value representing the REST resource this object represents. */
  kind?: string;
}

/** DeleteOptions may be provided when deleting an API object. */
export interface DeleteOptions {
  /** APIVersion defines the versioned schema of this representation of an object. */
  apiVersion?: string;
  /**
   * When present, indicates that modifications should not be persisted. An invalid or unrecognized dryRun directive
   * will result in an error response and no further processing of the request.
   */
  dryRun?: string[];
  /** The duration in seconds before the object should be deleted. Value must be non-negative integer. */
  gracePeriodSeconds?: number;
  /**
   * if set to true, it will trigger an unsafe deletion of the resource in case the normal deletion flow fails with a
   * corrupt object error.
   */
  ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
  /** Kind is a string value representing the REST resource this object represents. */
  kind?: string;
  /**
   * Should the dependent objects be orphaned. If true/false, the "orphan" finalizer will be added to/removed from the
   * object's finalizers list.
   *
   * @deprecated please use the PropagationPolicy, this field will be deprecated in 1.7.
   */
  orphanDependents?: boolean;
  /** Must be fulfilled before a deletion is carried out. If not possible, a 409 Conflict status will be returned. */
  preconditions?: Preconditions;
  /**
   * Whether and how garbage collection will be performed. Either this field or OrphanDependents may be set, but not
   * both.
   */
  propagationPolicy?: string;
}

/** A length of time as Go writes it: `1h30m`, `250ms`. */
export type Duration = string;

/**
 * FieldSelectorRequirement is a selector that contains values, a key, and an operator that relates the key and values.
 */
export interface FieldSelectorRequirement {
  /** key is the field selector key that the requirement applies to. */
  key: string;
  /**
   * operator represents a key's relationship to a set of values. Valid operators are In, NotIn, Exists, DoesNotExist.
   */
  operator: string;
  /** values is an array of string values. If the operator is In or NotIn, the values array must be non-empty. */
  values?: string[];
}

/** A set of fields as server-side apply records it: keys such as `f:spec`. */
export type FieldsV1 = Record<string, unknown>;

/** GetOptions is the standard query options to the standard REST get call. */
export interface GetOptions {
  /** APIVersion defines the versioned schema of this representation of an object. */
  apiVersion?: string;
  /** Kind is a string value representing the REST resource this object represents. */
  kind?: string;
  /** resourceVersion sets a constraint on what resource versions a request may be served from. */
  resourceVersion?: string;
}

/** GroupResource specifies a Group and a Resource, but does not force a version. */
export interface GroupResource {
  group: string;
  resource: string;
}

/** GroupVersion contains the "group/version" and "version" string of a version. */
export interface GroupVersionForDiscovery {
  /** groupVersion specifies the API group and version in the form "group/version" */
  groupVersion: string;
  /**
   * version specifies the version in the form of "version". This is to save the clients the trouble of splitting the
   * GroupVersion.
   */
  version: string;
}

/**
 * GroupVersionKind unambiguously identifies a kind. It doesn't anonymously include GroupVersion to avoid automatic
 * coercion.
 */
export interface GroupVersionKind {
  group: string;
  kind: string;
  version: string;
}

/**
 * GroupVersionResource unambiguously identifies a resource. It doesn't anonymously include GroupVersion to avoid
 * automatic coercion.
 */
export interface GroupVersionResource {
  group: string;
  resource: string;
  version: string;
}

/**
 * A label selector is a label query over a set of resources. The result of matchLabels and matchExpressions are ANDed.
 */
export interface LabelSelector {
  /** matchExpressions is a list of label selector requirements. The requirements are ANDed. */
  matchExpressions?: LabelSelectorRequirement[];
  /**
   * matchLabels is a map of {key,value} pairs. A single {key,value} in the matchLabels map is equivalent to an element
   * of matchExpressions, whose key field is "key", the operator is "In", and the values array contains only "value".
   */
  matchLabels?: Record<string, string>;
}

/**
 * A label selector requirement is a selector that contains values, a key, and an operator that relates the key and
 * values.
 */
export interface LabelSelectorRequirement {
  /** key is the label key that the selector applies to. */
  key: string;
  /**
   * operator represents a key's relationship to a set of values. Valid operators are In, NotIn, Exists and
   * DoesNotExist.
   */
  operator: string;
  /** values is an array of string values. If the operator is In or NotIn, the values array must be non-empty. */
  values?: string[];
}

/** ListMeta describes metadata that synthetic resources must have, including lists and various status objects. */
export interface ListMeta {
  /**
   * continue may be set if the user set a limit on the number of items returned, and indicates that the server has more
   * data available.
   */
  continue?: string;
  /** remainingItemCount is the number of subsequent items in the list which are not included in this list response. */
  remainingItemCount?: number;
  /**
   * String that identifies the server's internal version of this object that can be used by clients to determine when
   * objects have changed.
   */
  resourceVersion?: string;
  /** @deprecated selfLink is a legacy read-only field that is no longer populated by the system. */
  selfLink?: string;
  /**
   * shardInfo is set when the list is a filtered subset of the full collection, as selected by a shard selector on the
   * request.
   */
  shardInfo?: ShardInfo;
}

/** ListOptions is the query options to a standard REST list call. */
export interface ListOptions {
  /**
   * allowWatchBookmarks requests watch events with type "BOOKMARK". Servers that do not implement bookmarks may ignore
   * this flag and bookmarks are sent at the server's discretion.
   */
  allowWatchBookmarks?: boolean;
  /** APIVersion defines the versioned schema of this representation of an object. */
  apiVersion?: string;
  /** The continue option should be set when retrieving more results from the server. */
  continue?: string;
  /** A selector to restrict the list of returned objects by their fields. Defaults to everything. */
  fieldSelector?: string;
  /** Kind is a string value representing the REST resource this object represents. */
  kind?: string;
  /** A selector to restrict the list of returned objects by their labels. Defaults to everything. */
  labelSelector?: string;
  /**
   * limit is a maximum number of responses to return for a list call. If more items exist, the server will set the
   * `continue` field on the list metadata to a value that can be used with the same initial query to retrieve the next
   * set of results.
   */
  limit?: number;
  /** resourceVersion sets a constraint on what resource versions a request may be served from. */
  resourceVersion?: string;
  /** resourceVersionMatch determines how resourceVersion is applied to list calls. */
  resourceVersionMatch?: string;
  /**
   * `sendInitialEvents=true` may be set together with `watch=true`. In that case, the watch stream will begin with
   * synthetic events to produce the current state of objects in the collection.
   */
  sendInitialEvents?: boolean;
  /** shardSelector restricts the list of returned objects using a CEL-based shard selector expression. */
  shardSelector?: string;
  /**
   * Timeout for the list/watch call. This limits the duration of the call, regardless of any activity or inactivity.
   */
  timeoutSeconds?: number;
  /**
   * Watch for changes to the described resources and return them as a stream of add, update, and remove notifications.
   */
  watch?: boolean;
}

/** A moment in RFC 3339 with six digits of a second: `2026-01-02T03:04:05.000000Z`. */
export type MicroTime = string;

/** PartialObjectMetadata is a generic representation of any object with ObjectMeta. */
export interface PartialObjectMetadata {
  apiVersion: "meta.k8s.io/v1";
  kind: "PartialObjectMetadata";
  metadata: ObjectMeta;
}

/** PartialObjectMetadataList contains a list of objects containing only their metadata */
export interface PartialObjectMetadataList {
  apiVersion: "meta.k8s.io/v1";
  kind: "PartialObjectMetadataList";
  metadata: ListMeta;
  /** items contains each of the included items. */
  items: PartialObjectMetadata[];
}

/**
 * PatchOptions may be provided when patching an API object. PatchOptions is meant to be a superset of UpdateOptions.
 */
export interface PatchOptions {
  /** APIVersion defines the versioned schema of this representation of an object. */
  apiVersion?: string;
  /**
   * When present, indicates that modifications should not be persisted. An invalid or unrecognized dryRun directive
   * will result in an error response and no further processing of the request.
   */
  dryRun?: string[];
  /** fieldManager is a name associated with the actor or entity that is making these changes. */
  fieldManager?: string;
  /**
   * fieldValidation instructs the server on how to handle objects in the request (POST/PUT/PATCH) containing unknown or
   * duplicate fields.
   */
  fieldValidation?: string;
  /**
   * Force is going to "force" Apply requests. It means user will re-acquire conflicting fields owned by other people.
   */
  force?: boolean;
  /** Kind is a string value representing the REST resource this object represents. */
  kind?: string;
}

/** Preconditions must be fulfilled before an operation (update, delete, etc.) is carried out. */
export interface Preconditions {
  /** Specifies the target ResourceVersion */
  resourceVersion?: string;
  /** Specifies the target UID. */
  uid?: string;
}

/**
 * ServerAddressByClientCIDR helps the client to determine the server address that they should use, depending on the
 * clientCIDR that they match.
 */
export interface ServerAddressByClientCIDR {
  /** The CIDR with which clients can match their IP to figure out the server address that they should use. */
  clientCIDR: string;
  /** Address of this server, suitable for a client that matches the above CIDR. */
  serverAddress: string;
}

/** ShardInfo describes the shard selector that was applied to produce a list response. */
export interface ShardInfo {
  /**
   * selector is the shard selector string from the request, echoed back so clients can verify which shard they received
   * and merge responses from multiple shards.
   */
  selector: string;
}

/** Status is a return value for calls that don't return other objects. */
export interface Status {
  apiVersion: "v1";
  kind: "Status";
  metadata?: ListMeta;
  /** Suggested HTTP return code for this status, 0 if not set. */
  code?: number;
  /** Extended data associated with the reason. Each reason may define its own extended details. */
  details?: StatusDetails;
  /** A human-readable description of the status of this operation. */
  message?: string;
  /** A machine-readable description of why this operation is in the "Failure" status. */
  reason?: string;
  /** Status of the operation. One of: "Success" or "Failure". */
  status?: string;
}

/**
 * StatusCause provides more information about an api.Status failure, including cases when multiple errors are
 * encountered.
 */
export interface StatusCause {
  /** The field of the resource that has caused this error, as named by its JSON serialization. */
  field?: string;
  /** A human-readable description of the cause of the error. This field may be presented as-is to a reader. */
  message?: string;
  /**
   * A machine-readable description of the cause of the error. If this value is empty there is no information available.
   */
  reason?: string;
}

/**
 * StatusDetails is a set of additional properties that MAY be set by the server to provide additional information about
 * a response.
 */
export interface StatusDetails {
  /** The Causes array includes more details associated with the StatusReason failure. */
  causes?: StatusCause[];
  /** The group attribute of the resource associated with the status StatusReason. */
  group?: string;
  /** The kind attribute of the resource associated with the status StatusReason. */
  kind?: string;
  /**
   * The name attribute of the resource associated with the status StatusReason (when there is a single name which can
   * be described).
   */
  name?: string;
  /** If specified, the time in seconds before the operation should be retried. */
  retryAfterSeconds?: number;
  /** UID of the resource. (when there is a single resource which can be described). */
  uid?: string;
}

/**
 * Table is a tabular representation of a set of API resources. The server transforms the object into a set of preferred
 * columns for quickly reviewing the objects.
 */
export interface Table {
  apiVersion: "meta.k8s.io/v1";
  kind: "Table";
  metadata?: ListMeta;
  /**
   * columnDefinitions describes each column in the returned items array. The number of cells per row will always match
   * the number of column definitions.
   */
  columnDefinitions: TableColumnDefinition[];
  /** rows is the list of items in the table. */
  rows: TableRow[];
}

/** TableColumnDefinition contains information about a column returned in the Table. */
export interface TableColumnDefinition {
  /** description is a human readable description of this column. */
  description: string;
  /**
   * format is an optional OpenAPI type modifier for this column. A format modifies the type and imposes additional
   * rules, like date or time formatting for a string.
   */
  format: string;
  /** name is a human readable name for the column. */
  name: string;
  /** priority is an integer defining the relative importance of this column compared to others. */
  priority: number;
  /** type is an OpenAPI type definition for this column, such as number, integer, string, or array. */
  type: string;
}

/** TableOptions are used when a Table is requested by the caller. */
export interface TableOptions {
  /** APIVersion defines the versioned schema of this representation of an object. */
  apiVersion?: string;
  /** includeObject decides whether to include each object along with its columnar information. */
  includeObject?: string;
  /** Kind is a string value representing the REST resource this object represents. */
  kind?: string;
}

/** TableRow is an individual row in a table. */
export interface TableRow {
  /**
   * cells will be as wide as the column definitions array and may contain strings, numbers (float64 or int64),
   * booleans, simple maps, lists, or null.
   */
  cells: unknown[];
  /** conditions describe additional status of a row that are relevant for a human user. */
  conditions?: TableRowCondition[];
  /**
   * This field contains the requested additional information about each object based on the includeObject policy when
   * requesting the Table.
   */
  object?: RawExtension;
}

/** TableRowCondition allows a row to be marked with additional information. */
export interface TableRowCondition {
  /** Human readable message indicating details about last transition. */
  message?: string;
  /** (brief) machine readable reason for the condition's last transition. */
  reason?: string;
  /** Status of the condition, one of True, False, Unknown. */
  status: string;
  /**
   * Type of row condition. The only defined value is 'Completed' indicating that the object this row represents has
   * reached a completed state and may be given less visual priority than other rows.
   */
  type: string;
}

/** A moment in RFC 3339, to the second: `2026-01-02T03:04:05Z`. */
export type Time = string;

/**
 * UpdateOptions may be provided when updating an API object. All fields in UpdateOptions should also be present in
 * PatchOptions.
 */
export interface UpdateOptions {
  /** APIVersion defines the versioned schema of this representation of an object. */
  apiVersion?: string;
  /**
   * When present, indicates that modifications should not be persisted. An invalid or unrecognized dryRun directive
   * will result in an error response and no further processing of the request.
   */
  dryRun?: string[];
  /** fieldManager is a name associated with the actor or entity that is making these changes. */
  fieldManager?: string;
  /**
   * fieldValidation instructs the server on how to handle objects in the request (POST/PUT/PATCH) containing unknown or
   * duplicate fields.
   */
  fieldValidation?: string;
  /** Kind is a string value representing the REST resource this object represents. */
  kind?: string;
}

/** Event represents a single event to a watched resource. */
export interface WatchEvent {
  /**
   * Object is: * If Type is Added or Modified: the new state of the object. * If Type is Deleted: the state of the
   * object immediately before deletion. * If Type is Error: *Status is recommended; other types may make sense
   * depending on context.
   */
  object: RawExtension;
  type: string;
}

/** Any object, of a kind that the API does not know. */
export type RawExtension = unknown;

/** A whole number, or a name or percentage: `8080`, `"http"`, `"25%"`. */
export type IntOrString = number | string;

/** Info contains versioning information. how we'll want to distribute that information. */
export interface VersionInfo {
  buildDate: string;
  compiler: string;
  /** EmulationMajor is the major version of the emulation version */
  emulationMajor?: string;
  /** EmulationMinor is the minor version of the emulation version */
  emulationMinor?: string;
  gitCommit: string;
  gitTreeState: string;
  gitVersion: string;
  goVersion: string;
  /** Major is the major version of the binary version */
  major: string;
  /** MinCompatibilityMajor is the major version of the minimum compatibility version */
  minCompatibilityMajor?: string;
  /** MinCompatibilityMinor is the minor version of the minimum compatibility version */
  minCompatibilityMinor?: string;
  /** Minor is the minor version of the binary version */
  minor: string;
  platform: string;
}
