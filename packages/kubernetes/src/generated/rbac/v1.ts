// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as metaV1 from "../meta/v1.ts";
import type { BuiltInResource } from "../../built-in-resource.ts";

const everyVerb: readonly string[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** AggregationRule describes how to locate ClusterRoles to aggregate into the ClusterRole */
export interface AggregationRule {
  /** ClusterRoleSelectors holds a list of selectors which will be used to find ClusterRoles and create the rules. */
  clusterRoleSelectors?: metaV1.LabelSelector[];
}

/**
 * ClusterRole is a cluster level, logical grouping of PolicyRules that can be referenced as a unit by a RoleBinding or
 * ClusterRoleBinding.
 */
export interface ClusterRole {
  apiVersion: "rbac.authorization.k8s.io/v1";
  kind: "ClusterRole";
  metadata: metaV1.ObjectMeta;
  /** AggregationRule is an optional field that describes how to build the Rules for this ClusterRole. */
  aggregationRule?: AggregationRule;
  /** Rules holds all the PolicyRules for this ClusterRole */
  rules?: PolicyRule[];
}

/** The resource `clusterroles` of `rbac.authorization.k8s.io/v1`. */
export const ClusterRole: BuiltInResource<ClusterRole, "Cluster"> = {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "ClusterRole",
  plural: "clusterroles",
  singular: "clusterrole",
  scope: "Cluster",
  shortNames: [],
  categories: [],
  subresources: [],
  verbs: everyVerb,
};

/**
 * ClusterRoleBinding references a ClusterRole, but not contain it. It can reference a ClusterRole in the global
 * namespace, and adds who information via Subject.
 */
export interface ClusterRoleBinding {
  apiVersion: "rbac.authorization.k8s.io/v1";
  kind: "ClusterRoleBinding";
  metadata: metaV1.ObjectMeta;
  /**
   * RoleRef can only reference a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer
   * must return an error.
   */
  roleRef: RoleRef;
  /** Subjects holds references to the objects the role applies to. */
  subjects?: Subject[];
}

/** The resource `clusterrolebindings` of `rbac.authorization.k8s.io/v1`. */
export const ClusterRoleBinding: BuiltInResource<ClusterRoleBinding, "Cluster"> = {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "ClusterRoleBinding",
  plural: "clusterrolebindings",
  singular: "clusterrolebinding",
  scope: "Cluster",
  shortNames: [],
  categories: [],
  subresources: [],
  verbs: everyVerb,
};

/** ClusterRoleBindingList is a collection of ClusterRoleBindings */
export interface ClusterRoleBindingList {
  apiVersion: "rbac.authorization.k8s.io/v1";
  kind: "ClusterRoleBindingList";
  metadata: metaV1.ListMeta;
  /** Items is a list of ClusterRoleBindings */
  items: ClusterRoleBinding[];
}

/** ClusterRoleList is a collection of ClusterRoles */
export interface ClusterRoleList {
  apiVersion: "rbac.authorization.k8s.io/v1";
  kind: "ClusterRoleList";
  metadata: metaV1.ListMeta;
  /** Items is a list of ClusterRoles */
  items: ClusterRole[];
}

/**
 * PolicyRule holds information that describes a policy rule, but does not contain information about who the rule
 * applies to or which namespace the rule applies to.
 */
export interface PolicyRule {
  /**
   * APIGroups is the name of the APIGroup that contains the resources. If multiple API groups are specified, any action
   * requested against one of the enumerated resources in any API group will be allowed.
   */
  apiGroups?: string[];
  /**
   * NonResourceURLs is a set of partial urls that a user should have access to. *s are allowed, but only as the full,
   * final step in the path Since non-resource URLs are not namespaced, this field is only applicable for ClusterRoles
   * referenced from a ClusterRoleBinding.
   */
  nonResourceURLs?: string[];
  /** ResourceNames is an optional white list of names that the rule applies to. */
  resourceNames?: string[];
  /** Resources is a list of resources this rule applies to. '*' represents all resources. */
  resources?: string[];
  /** Verbs is a list of Verbs that apply to ALL the ResourceKinds contained in this rule. */
  verbs: string[];
}

/** Role is a namespaced, logical grouping of PolicyRules that can be referenced as a unit by a RoleBinding. */
export interface Role {
  apiVersion: "rbac.authorization.k8s.io/v1";
  kind: "Role";
  metadata: metaV1.ObjectMeta;
  /** Rules holds all the PolicyRules for this Role */
  rules?: PolicyRule[];
}

/** The resource `roles` of `rbac.authorization.k8s.io/v1`. */
export const Role: BuiltInResource<Role, "Namespaced"> = {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "Role",
  plural: "roles",
  singular: "role",
  scope: "Namespaced",
  shortNames: [],
  categories: [],
  subresources: [],
  verbs: everyVerb,
};

/**
 * RoleBinding references a role, but does not contain it. It can reference a Role in the same namespace or a
 * ClusterRole in the global namespace.
 */
export interface RoleBinding {
  apiVersion: "rbac.authorization.k8s.io/v1";
  kind: "RoleBinding";
  metadata: metaV1.ObjectMeta;
  /** RoleRef can reference a Role in the current namespace or a ClusterRole in the global namespace. */
  roleRef: RoleRef;
  /** Subjects holds references to the objects the role applies to. */
  subjects?: Subject[];
}

/** The resource `rolebindings` of `rbac.authorization.k8s.io/v1`. */
export const RoleBinding: BuiltInResource<RoleBinding, "Namespaced"> = {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "RoleBinding",
  plural: "rolebindings",
  singular: "rolebinding",
  scope: "Namespaced",
  shortNames: [],
  categories: [],
  subresources: [],
  verbs: everyVerb,
};

/** RoleBindingList is a collection of RoleBindings */
export interface RoleBindingList {
  apiVersion: "rbac.authorization.k8s.io/v1";
  kind: "RoleBindingList";
  metadata: metaV1.ListMeta;
  /** Items is a list of RoleBindings */
  items: RoleBinding[];
}

/** RoleList is a collection of Roles */
export interface RoleList {
  apiVersion: "rbac.authorization.k8s.io/v1";
  kind: "RoleList";
  metadata: metaV1.ListMeta;
  /** Items is a list of Roles */
  items: Role[];
}

/** RoleRef contains information that points to the role being used */
export interface RoleRef {
  /** APIGroup is the group for the resource being referenced */
  apiGroup?: string;
  /** Kind is the type of resource being referenced */
  kind: string;
  /** Name is the name of resource being referenced */
  name: string;
}

/** Subject contains a reference to the object or user identities a role binding applies to. */
export interface Subject {
  /** APIGroup holds the API group of the referenced subject. Defaults to "" for ServiceAccount subjects. */
  apiGroup?: string;
  /** Kind of object being referenced. Values defined by this API group are "User", "Group", and "ServiceAccount". */
  kind: string;
  /** Name of the object being referenced. */
  name: string;
  /**
   * Namespace of the referenced object. If the object kind is non-namespace, such as "User" or "Group", and this value
   * is not empty the Authorizer should report an error.
   */
  namespace?: string;
}
