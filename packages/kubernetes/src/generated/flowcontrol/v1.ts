// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as metaV1 from "../meta/v1.ts";
import type { BuiltInResource } from "../../built-in-resource.ts";

const everyVerb: readonly string[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** ExemptPriorityLevelConfiguration describes the configurable aspects of the handling of exempt requests. */
export interface ExemptPriorityLevelConfiguration {
  /**
   * `lendablePercent` prescribes the fraction of the level's NominalCL that can be borrowed by other priority levels.
   */
  lendablePercent?: number;
  /**
   * `nominalConcurrencyShares` (NCS) contributes to the computation of the NominalConcurrencyLimit (NominalCL) of this
   * level.
   */
  nominalConcurrencyShares?: number;
}

/** FlowDistinguisherMethod specifies the method of a flow distinguisher. */
export interface FlowDistinguisherMethod {
  /** `type` is the type of flow distinguisher method The supported types are "ByUser" and "ByNamespace". */
  type: string;
}

/**
 * FlowSchema defines the schema of a group of flows. Note that a flow is made up of a set of inbound API requests with
 * similar attributes and is identified by a pair of strings: the name of the FlowSchema and a "flow distinguisher".
 */
export interface FlowSchema {
  apiVersion: "flowcontrol.apiserver.k8s.io/v1";
  kind: "FlowSchema";
  metadata: metaV1.ObjectMeta;
  /** `spec` is the specification of the desired behavior of a FlowSchema. */
  spec: FlowSchemaSpec;
  /** `status` is the current status of a FlowSchema. */
  status?: FlowSchemaStatus;
}

/** The resource `flowschemas` of `flowcontrol.apiserver.k8s.io/v1`. */
export const FlowSchema: BuiltInResource<FlowSchema, "Cluster"> = {
  group: "flowcontrol.apiserver.k8s.io",
  version: "v1",
  kind: "FlowSchema",
  plural: "flowschemas",
  singular: "flowschema",
  scope: "Cluster",
  shortNames: [],
  categories: [],
  subresources: ["status"],
  verbs: everyVerb,
};

/** FlowSchemaCondition describes conditions for a FlowSchema. */
export interface FlowSchemaCondition {
  /** `lastTransitionTime` is the last time the condition transitioned from one status to another. */
  lastTransitionTime?: metaV1.Time;
  /** `message` is a human-readable message indicating details about last transition. */
  message?: string;
  /** `reason` is a unique, one-word, CamelCase reason for the condition's last transition. */
  reason?: string;
  /** `status` is the status of the condition. Can be True, False, Unknown. */
  status?: string;
  /** `type` is the type of the condition. Required. */
  type?: string;
}

/** FlowSchemaList is a list of FlowSchema objects. */
export interface FlowSchemaList {
  apiVersion: "flowcontrol.apiserver.k8s.io/v1";
  kind: "FlowSchemaList";
  metadata: metaV1.ListMeta;
  /** `items` is a list of FlowSchemas. */
  items: FlowSchema[];
}

/** FlowSchemaSpec describes how the FlowSchema's specification looks like. */
export interface FlowSchemaSpec {
  /** `distinguisherMethod` defines how to compute the flow distinguisher for requests that match this schema. */
  distinguisherMethod?: FlowDistinguisherMethod;
  /** `matchingPrecedence` is used to choose among the FlowSchemas that match a given request. */
  matchingPrecedence?: number;
  /** `priorityLevelConfiguration` should reference a PriorityLevelConfiguration in the cluster. */
  priorityLevelConfiguration: PriorityLevelConfigurationReference;
  /**
   * `rules` describes which requests will match this flow schema. This FlowSchema matches a request if and only if at
   * least one member of rules matches the request. if it is an empty slice, there will be no requests matching the
   * FlowSchema.
   */
  rules?: PolicyRulesWithSubjects[];
}

/** FlowSchemaStatus represents the current state of a FlowSchema. */
export interface FlowSchemaStatus {
  /** `conditions` is a list of the current states of FlowSchema. */
  conditions?: FlowSchemaCondition[];
}

/** GroupSubject holds detailed information for group-kind subject. */
export interface GroupSubject {
  /**
   * name is the user group that matches, or "*" to match all user groups. See
   * https://github.com/kubernetes/apiserver/blob/master/pkg/authentication/user/user.go for some well-known group
   * names.
   */
  name: string;
}

/** LimitResponse defines how to handle requests that can not be executed right now. */
export interface LimitResponse {
  /**
   * `queuing` holds the configuration parameters for queuing. This field may be non-empty only if `type` is `"Queue"`.
   */
  queuing?: QueuingConfiguration;
  /**
   * `type` is "Queue" or "Reject". "Queue" means that requests that can not be executed upon arrival are held in a
   * queue until they can be executed or a queuing limit is reached.
   */
  type: string;
}

/** LimitedPriorityLevelConfiguration specifies how to handle requests that are subject to limits. */
export interface LimitedPriorityLevelConfiguration {
  /**
   * `borrowingLimitPercent`, if present, configures a limit on how many seats this priority level can borrow from other
   * priority levels.
   */
  borrowingLimitPercent?: number;
  /**
   * `lendablePercent` prescribes the fraction of the level's NominalCL that can be borrowed by other priority levels.
   */
  lendablePercent?: number;
  /** `limitResponse` indicates what to do with requests that can not be executed right now */
  limitResponse?: LimitResponse;
  /**
   * `nominalConcurrencyShares` (NCS) contributes to the computation of the NominalConcurrencyLimit (NominalCL) of this
   * level.
   */
  nominalConcurrencyShares?: number;
}

/**
 * NonResourcePolicyRule is a predicate that matches non-resource requests according to their verb and the target
 * non-resource URL.
 */
export interface NonResourcePolicyRule {
  /** `nonResourceURLs` is a set of url prefixes that a user should have access to and may not be empty. */
  nonResourceURLs: string[];
  /** `verbs` is a list of matching verbs and may not be empty. "*" matches all verbs. */
  verbs: string[];
}

/** PolicyRulesWithSubjects prescribes a test that applies to a request to an apiserver. */
export interface PolicyRulesWithSubjects {
  /**
   * `nonResourceRules` is a list of NonResourcePolicyRules that identify matching requests according to their verb and
   * the target non-resource URL.
   */
  nonResourceRules?: NonResourcePolicyRule[];
  /**
   * `resourceRules` is a slice of ResourcePolicyRules that identify matching requests according to their verb and the
   * target resource.
   */
  resourceRules?: ResourcePolicyRule[];
  /** subjects is the list of normal user, serviceaccount, or group that this rule cares about. */
  subjects: Subject[];
}

/** PriorityLevelConfiguration represents the configuration of a priority level. */
export interface PriorityLevelConfiguration {
  apiVersion: "flowcontrol.apiserver.k8s.io/v1";
  kind: "PriorityLevelConfiguration";
  metadata: metaV1.ObjectMeta;
  /** `spec` is the specification of the desired behavior of a "request-priority". */
  spec: PriorityLevelConfigurationSpec;
  /** `status` is the current status of a "request-priority". */
  status?: PriorityLevelConfigurationStatus;
}

/** The resource `prioritylevelconfigurations` of `flowcontrol.apiserver.k8s.io/v1`. */
export const PriorityLevelConfiguration: BuiltInResource<PriorityLevelConfiguration, "Cluster"> = {
  group: "flowcontrol.apiserver.k8s.io",
  version: "v1",
  kind: "PriorityLevelConfiguration",
  plural: "prioritylevelconfigurations",
  singular: "prioritylevelconfiguration",
  scope: "Cluster",
  shortNames: [],
  categories: [],
  subresources: ["status"],
  verbs: everyVerb,
};

/** PriorityLevelConfigurationCondition defines the condition of priority level. */
export interface PriorityLevelConfigurationCondition {
  /** `lastTransitionTime` is the last time the condition transitioned from one status to another. */
  lastTransitionTime?: metaV1.Time;
  /** `message` is a human-readable message indicating details about last transition. */
  message?: string;
  /** `reason` is a unique, one-word, CamelCase reason for the condition's last transition. */
  reason?: string;
  /** `status` is the status of the condition. Can be True, False, Unknown. */
  status?: string;
  /** `type` is the type of the condition. Required. */
  type?: string;
}

/** PriorityLevelConfigurationList is a list of PriorityLevelConfiguration objects. */
export interface PriorityLevelConfigurationList {
  apiVersion: "flowcontrol.apiserver.k8s.io/v1";
  kind: "PriorityLevelConfigurationList";
  metadata: metaV1.ListMeta;
  /** `items` is a list of request-priorities. */
  items: PriorityLevelConfiguration[];
}

/** PriorityLevelConfigurationReference contains information that points to the "request-priority" being used. */
export interface PriorityLevelConfigurationReference {
  /** `name` is the name of the priority level configuration being referenced Required. */
  name: string;
}

/** PriorityLevelConfigurationSpec specifies the configuration of a priority level. */
export interface PriorityLevelConfigurationSpec {
  /** `exempt` specifies how requests are handled for an exempt priority level. */
  exempt?: ExemptPriorityLevelConfiguration;
  /** `limited` specifies how requests are handled for a Limited priority level. */
  limited?: LimitedPriorityLevelConfiguration;
  /** `type` indicates whether this priority level is subject to limitation on request execution. */
  type: string;
}

/** PriorityLevelConfigurationStatus represents the current state of a "request-priority". */
export interface PriorityLevelConfigurationStatus {
  /** `conditions` is the current state of "request-priority". */
  conditions?: PriorityLevelConfigurationCondition[];
}

/** QueuingConfiguration holds the configuration parameters for queuing */
export interface QueuingConfiguration {
  /** `handSize` is a small positive number that configures the shuffle sharding of requests into queues. */
  handSize?: number;
  /**
   * `queueLengthLimit` is the maximum number of requests allowed to be waiting in a given queue of this priority level
   * at a time; excess requests are rejected.
   */
  queueLengthLimit?: number;
  /** `queues` is the number of queues for this priority level. The queues exist independently at each apiserver. */
  queues?: number;
}

/**
 * ResourcePolicyRule is a predicate that matches some resource requests, testing the request's verb and the target
 * resource.
 */
export interface ResourcePolicyRule {
  /**
   * `apiGroups` is a list of matching API groups and may not be empty. "*" matches all API groups and, if present, must
   * be the only entry.
   */
  apiGroups: string[];
  /**
   * `clusterScope` indicates whether to match requests that do not specify a namespace (which happens either because
   * the resource is not namespaced or the request targets all namespaces).
   */
  clusterScope?: boolean;
  /**
   * `namespaces` is a list of target namespaces that restricts matches. A request that specifies a target namespace
   * matches only if either (a) this list contains that target namespace or (b) this list contains "*".
   */
  namespaces?: string[];
  /** `resources` is a list of matching resources (i.e., lowercase and plural) with, if desired, subresource. */
  resources: string[];
  /**
   * `verbs` is a list of matching verbs and may not be empty. "*" matches all verbs and, if present, must be the only
   * entry.
   */
  verbs: string[];
}

/** ServiceAccountSubject holds detailed information for service-account-kind subject. */
export interface ServiceAccountSubject {
  /** `name` is the name of matching ServiceAccount objects, or "*" to match regardless of name. */
  name: string;
  /** `namespace` is the namespace of matching ServiceAccount objects. Required. */
  namespace: string;
}

/** Subject matches the originator of a request, as identified by the request authentication system. */
export interface Subject {
  /** `group` matches based on user group name. */
  group?: GroupSubject;
  /** `kind` indicates which one of the other fields is non-empty. Required */
  kind: string;
  /** `serviceAccount` matches ServiceAccounts. */
  serviceAccount?: ServiceAccountSubject;
  /** `user` matches based on username. */
  user?: UserSubject;
}

/** UserSubject holds detailed information for user-kind subject. */
export interface UserSubject {
  /** `name` is the username that matches, or "*" to match all usernames. Required. */
  name: string;
}
