// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as metaV1 from "../meta/v1.ts";
import type { BuiltInResource } from "../../built-in-resource.ts";

/**
 * FieldSelectorAttributes indicates a field limited access. Webhook authors are encouraged to * ensure rawSelector and
 * requirements are not both set * consider the requirements field if set * not try to parse or consider the rawSelector
 * field if set.
 */
export interface FieldSelectorAttributes {
  /** rawSelector is the serialization of a field selector that would be included in a query parameter. */
  rawSelector?: string;
  /**
   * requirements is the parsed interpretation of a field selector. All requirements must be met for a resource instance
   * to match the selector.
   */
  requirements?: metaV1.FieldSelectorRequirement[];
}

/**
 * LabelSelectorAttributes indicates a label limited access. Webhook authors are encouraged to * ensure rawSelector and
 * requirements are not both set * consider the requirements field if set * not try to parse or consider the rawSelector
 * field if set.
 */
export interface LabelSelectorAttributes {
  /** rawSelector is the serialization of a field selector that would be included in a query parameter. */
  rawSelector?: string;
  /**
   * requirements is the parsed interpretation of a label selector. All requirements must be met for a resource instance
   * to match the selector.
   */
  requirements?: metaV1.LabelSelectorRequirement[];
}

/** LocalSubjectAccessReview checks whether or not a user or group can perform an action in a given namespace. */
export interface LocalSubjectAccessReview {
  apiVersion: "authorization.k8s.io/v1";
  kind: "LocalSubjectAccessReview";
  metadata: metaV1.ObjectMeta;
  /**
   * spec holds information about the request being evaluated. spec.namespace must be equal to the namespace you made
   * the request against.
   */
  spec: SubjectAccessReviewSpec;
  /** status is filled in by the server and indicates whether the request is allowed or not */
  status?: SubjectAccessReviewStatus;
}

/** The resource `localsubjectaccessreviews` of `authorization.k8s.io/v1`. */
export const LocalSubjectAccessReview: BuiltInResource<LocalSubjectAccessReview, "Namespaced"> = {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "LocalSubjectAccessReview",
  plural: "localsubjectaccessreviews",
  singular: "localsubjectaccessreview",
  scope: "Namespaced",
  shortNames: [],
  categories: [],
  subresources: [],
  verbs: ["create"],
};

/**
 * NonResourceAttributes includes the authorization attributes available for non-resource requests to the Authorizer
 * interface
 */
export interface NonResourceAttributes {
  /** path is the URL path of the request */
  path?: string;
  /** verb is the standard HTTP verb */
  verb?: string;
}

/** NonResourceRule holds information that describes a rule for the non-resource */
export interface NonResourceRule {
  /**
   * nonResourceURLs is a set of partial urls that a user should have access to. *s are allowed, but only as the full,
   * final step in the path.
   */
  nonResourceURLs?: string[];
  /** verbs is a list of kubernetes non-resource API verbs, like: get, post, put, delete, patch, head, options. */
  verbs: string[];
}

/**
 * ResourceAttributes includes the authorization attributes available for resource requests to the Authorizer interface
 */
export interface ResourceAttributes {
  /** fieldSelector describes the limitation on access based on field. It can only limit access, not broaden it. */
  fieldSelector?: FieldSelectorAttributes;
  /** group is the API Group of the Resource. "*" means all. */
  group?: string;
  /** labelSelector describes the limitation on access based on labels. It can only limit access, not broaden it. */
  labelSelector?: LabelSelectorAttributes;
  /** name is the name of the resource being requested for a "get" or deleted for a "delete". */
  name?: string;
  /** namespace is the namespace of the action being requested. */
  namespace?: string;
  /** resource is one of the existing resource types. "*" means all. */
  resource?: string;
  /** subresource is one of the existing resource types. "" means none. */
  subresource?: string;
  /** verb is a kubernetes resource API verb, like: get, list, watch, create, update, delete, proxy. */
  verb?: string;
  /** version is the API Version of the Resource. "*" means all. */
  version?: string;
}

/** ResourceRule is the list of actions the subject is allowed to perform on resources. */
export interface ResourceRule {
  /**
   * apiGroups is the name of the APIGroup that contains the resources. If multiple API groups are specified, any action
   * requested against one of the enumerated resources in any API group will be allowed.
   */
  apiGroups?: string[];
  /** resourceNames is an optional white list of names that the rule applies to. */
  resourceNames?: string[];
  /** resources is a list of resources this rule applies to. "*" means all in the specified apiGroups. */
  resources?: string[];
  /** verbs is a list of kubernetes resource API verbs, like: get, list, watch, create, update, delete, proxy. */
  verbs: string[];
}

/** SelfSubjectAccessReview checks whether or the current user can perform an action. */
export interface SelfSubjectAccessReview {
  apiVersion: "authorization.k8s.io/v1";
  kind: "SelfSubjectAccessReview";
  metadata: metaV1.ObjectMeta;
  /** spec holds information about the request being evaluated. user and groups must be empty */
  spec: SelfSubjectAccessReviewSpec;
  /** status is filled in by the server and indicates whether the request is allowed or not */
  status?: SubjectAccessReviewStatus;
}

/** The resource `selfsubjectaccessreviews` of `authorization.k8s.io/v1`. */
export const SelfSubjectAccessReview: BuiltInResource<SelfSubjectAccessReview, "Cluster"> = {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SelfSubjectAccessReview",
  plural: "selfsubjectaccessreviews",
  singular: "selfsubjectaccessreview",
  scope: "Cluster",
  shortNames: [],
  categories: [],
  subresources: [],
  verbs: ["create"],
};

/**
 * SelfSubjectAccessReviewSpec is a description of the access request. Exactly one of resourceAttributes and
 * nonResourceAttributes must be set
 */
export interface SelfSubjectAccessReviewSpec {
  /** nonResourceAttributes describes information for a non-resource access request */
  nonResourceAttributes?: NonResourceAttributes;
  /** resourceAttributes describes information for a resource access request */
  resourceAttributes?: ResourceAttributes;
}

/** SelfSubjectRulesReview enumerates the set of actions the current user can perform within a namespace. */
export interface SelfSubjectRulesReview {
  apiVersion: "authorization.k8s.io/v1";
  kind: "SelfSubjectRulesReview";
  metadata: metaV1.ObjectMeta;
  /** spec holds information about the request being evaluated. */
  spec: SelfSubjectRulesReviewSpec;
  /** status is filled in by the server and indicates the set of actions a user can perform. */
  status?: SubjectRulesReviewStatus;
}

/** The resource `selfsubjectrulesreviews` of `authorization.k8s.io/v1`. */
export const SelfSubjectRulesReview: BuiltInResource<SelfSubjectRulesReview, "Cluster"> = {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SelfSubjectRulesReview",
  plural: "selfsubjectrulesreviews",
  singular: "selfsubjectrulesreview",
  scope: "Cluster",
  shortNames: [],
  categories: [],
  subresources: [],
  verbs: ["create"],
};

/** SelfSubjectRulesReviewSpec defines the specification for SelfSubjectRulesReview. */
export interface SelfSubjectRulesReviewSpec {
  /** namespace to evaluate rules for. Required. */
  namespace?: string;
}

/** SubjectAccessReview checks whether or not a user or group can perform an action. */
export interface SubjectAccessReview {
  apiVersion: "authorization.k8s.io/v1";
  kind: "SubjectAccessReview";
  metadata: metaV1.ObjectMeta;
  /** spec holds information about the request being evaluated */
  spec: SubjectAccessReviewSpec;
  /** status is filled in by the server and indicates whether the request is allowed or not */
  status?: SubjectAccessReviewStatus;
}

/** The resource `subjectaccessreviews` of `authorization.k8s.io/v1`. */
export const SubjectAccessReview: BuiltInResource<SubjectAccessReview, "Cluster"> = {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SubjectAccessReview",
  plural: "subjectaccessreviews",
  singular: "subjectaccessreview",
  scope: "Cluster",
  shortNames: [],
  categories: [],
  subresources: [],
  verbs: ["create"],
};

/**
 * SubjectAccessReviewSpec is a description of the access request. Exactly one of resourceAttributes and
 * nonResourceAttributes must be set
 */
export interface SubjectAccessReviewSpec {
  /** extra corresponds to the user.Info.GetExtra() method from the authenticator. */
  extra?: Record<string, string[]>;
  /** groups is the groups you're testing for. */
  groups?: string[];
  /** nonResourceAttributes describes information for a non-resource access request */
  nonResourceAttributes?: NonResourceAttributes;
  /** resourceAttributes describes information for a resource access request */
  resourceAttributes?: ResourceAttributes;
  /** uid information about the requesting user. */
  uid?: string;
  /**
   * user is the user you're testing for. If you specify "User" but not "Groups", then is it interpreted as "What if
   * User were not a member of any groups
   */
  user?: string;
}

/** SubjectAccessReviewStatus */
export interface SubjectAccessReviewStatus {
  /** allowed is required. True if the action would be allowed, false otherwise. */
  allowed: boolean;
  /** denied is optional. True if the action would be denied, otherwise false. */
  denied?: boolean;
  /** evaluationError is an indication that some error occurred during the authorization check. */
  evaluationError?: string;
  /** reason is optional. It indicates why a request was allowed or denied. */
  reason?: string;
}

/**
 * SubjectRulesReviewStatus contains the result of a rules check. This check can be incomplete depending on the set of
 * authorizers the server is configured with and any errors experienced during evaluation.
 */
export interface SubjectRulesReviewStatus {
  /**
   * evaluationError can appear in combination with Rules. It indicates an error occurred during rule evaluation, such
   * as an authorizer that doesn't support rule evaluation, and that ResourceRules and/or NonResourceRules may be
   * incomplete.
   */
  evaluationError?: string;
  /** incomplete is true when the rules returned by this call are incomplete. */
  incomplete: boolean;
  /** nonResourceRules is the list of actions the subject is allowed to perform on non-resources. */
  nonResourceRules: NonResourceRule[];
  /** resourceRules is the list of actions the subject is allowed to perform on resources. */
  resourceRules: ResourceRule[];
}
