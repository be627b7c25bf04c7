// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as admissionregistrationV1 from "../admissionregistration/v1.ts";
import type * as metaV1 from "../meta/v1.ts";
import type { BuiltInResource } from "../../built-in-resource.ts";

const everyVerb: readonly string[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** ApplyConfiguration defines the desired configuration values of an object. */
export interface ApplyConfiguration {
  /** expression will be evaluated by CEL to create an apply configuration. ref: https://github.com/google/cel-spec */
  expression?: string;
}

/** JSONPatch defines a JSON Patch. */
export interface JSONPatch {
  /**
   * expression will be evaluated by CEL to create a [JSON patch](https://jsonpatch.com/). ref:
   * https://github.com/google/cel-spec
   */
  expression?: string;
}

/** MatchCondition represents a condition which must be fulfilled for a request to be sent to a webhook. */
export interface MatchCondition {
  /** expression represents the expression which will be evaluated by CEL. Must evaluate to bool. */
  expression: string;
  /**
   * name is an identifier for this match condition, used for strategic merging of MatchConditions, as well as providing
   * an identifier for logging purposes.
   */
  name: string;
}

/**
 * MatchResources decides whether to run the admission control policy on an object based on whether it meets the match
 * criteria.
 */
export interface MatchResources {
  /**
   * excludeResourceRules describes what operations on what resources/subresources the ValidatingAdmissionPolicy should
   * not care about.
   */
  excludeResourceRules?: NamedRuleWithOperations[];
  /** matchPolicy defines how the "MatchResources" list is used to match incoming requests. */
  matchPolicy?: string;
  /**
   * namespaceSelector decides whether to run the admission control policy on an object based on whether the namespace
   * for that object matches the selector.
   */
  namespaceSelector?: metaV1.LabelSelector;
  /**
   * objectSelector decides whether to run the validation based on if the object has matching labels. objectSelector is
   * evaluated against both the oldObject and newObject that would be sent to the cel validation, and is considered to
   * match if either object matches the selector.
   */
  objectSelector?: metaV1.LabelSelector;
  /** resourceRules describes what operations on what resources/subresources the ValidatingAdmissionPolicy matches. */
  resourceRules?: NamedRuleWithOperations[];
}

/**
 * MutatingAdmissionPolicy describes the definition of an admission mutation policy that mutates the object coming into
 * admission chain.
 */
export interface MutatingAdmissionPolicy {
  apiVersion: "admissionregistration.k8s.io/v1beta1";
  kind: "MutatingAdmissionPolicy";
  metadata: metaV1.ObjectMeta;
  /** spec defines the desired behavior of the MutatingAdmissionPolicy. */
  spec?: MutatingAdmissionPolicySpec;
}

/** The resource `mutatingadmissionpolicies` of `admissionregistration.k8s.io/v1beta1`. */
export const MutatingAdmissionPolicy: BuiltInResource<MutatingAdmissionPolicy, "Cluster"> = {
  group: "admissionregistration.k8s.io",
  version: "v1beta1",
  kind: "MutatingAdmissionPolicy",
  plural: "mutatingadmissionpolicies",
  singular: "mutatingadmissionpolicy",
  scope: "Cluster",
  shortNames: [],
  categories: ["api-extensions"],
  subresources: [],
  verbs: everyVerb,
};

/** MutatingAdmissionPolicyBinding binds the MutatingAdmissionPolicy with parametrized resources. */
export interface MutatingAdmissionPolicyBinding {
  apiVersion: "admissionregistration.k8s.io/v1beta1";
  kind: "MutatingAdmissionPolicyBinding";
  metadata: metaV1.ObjectMeta;
  /** spec defines the desired behavior of the MutatingAdmissionPolicyBinding. */
  spec?: MutatingAdmissionPolicyBindingSpec;
}

/** The resource `mutatingadmissionpolicybindings` of `admissionregistration.k8s.io/v1beta1`. */
export const MutatingAdmissionPolicyBinding: BuiltInResource<MutatingAdmissionPolicyBinding, "Cluster"> = {
  group: "admissionregistration.k8s.io",
  version: "v1beta1",
  kind: "MutatingAdmissionPolicyBinding",
  plural: "mutatingadmissionpolicybindings",
  singular: "mutatingadmissionpolicybinding",
  scope: "Cluster",
  shortNames: [],
  categories: ["api-extensions"],
  subresources: [],
  verbs: everyVerb,
};

/** MutatingAdmissionPolicyBindingList is a list of MutatingAdmissionPolicyBinding. */
export interface MutatingAdmissionPolicyBindingList {
  apiVersion: "admissionregistration.k8s.io/v1beta1";
  kind: "MutatingAdmissionPolicyBindingList";
  metadata: metaV1.ListMeta;
  /** List of PolicyBinding. */
  items: MutatingAdmissionPolicyBinding[];
}

/** MutatingAdmissionPolicyBindingSpec is the specification of the MutatingAdmissionPolicyBinding. */
export interface MutatingAdmissionPolicyBindingSpec {
  /** matchResources limits what resources match this binding and may be mutated by it. */
  matchResources?: MatchResources;
  /** paramRef specifies the parameter resource used to configure the admission control policy. */
  paramRef?: ParamRef;
  /** policyName references a MutatingAdmissionPolicy name which the MutatingAdmissionPolicyBinding binds to. */
  policyName?: string;
}

/** MutatingAdmissionPolicyList is a list of MutatingAdmissionPolicy. */
export interface MutatingAdmissionPolicyList {
  apiVersion: "admissionregistration.k8s.io/v1beta1";
  kind: "MutatingAdmissionPolicyList";
  metadata: metaV1.ListMeta;
  /** List of ValidatingAdmissionPolicy. */
  items: MutatingAdmissionPolicy[];
}

/** MutatingAdmissionPolicySpec is the specification of the desired behavior of the admission policy. */
export interface MutatingAdmissionPolicySpec {
  /** failurePolicy defines how to handle failures for the admission policy. */
  failurePolicy?: string;
  /** matchConditions is a list of conditions that must be met for a request to be validated. */
  matchConditions?: MatchCondition[];
  /** matchConstraints specifies what resources this policy is designed to validate. */
  matchConstraints?: MatchResources;
  /**
   * mutations contain operations to perform on matching objects. mutations may not be empty; a minimum of one mutation
   * is required. mutations are evaluated in order, and are reinvoked according to the reinvocationPolicy.
   */
  mutations?: Mutation[];
  /** paramKind specifies the kind of resources used to parameterize this policy. */
  paramKind?: ParamKind;
  /**
   * reinvocationPolicy indicates whether mutations may be called multiple times per MutatingAdmissionPolicyBinding as
   * part of a single admission evaluation.
   */
  reinvocationPolicy?: admissionregistrationV1.ReinvocationPolicyType;
  /** variables contain definitions of variables that can be used in composition of other expressions. */
  variables?: Variable[];
}

/** Mutation specifies the CEL expression which is used to apply the Mutation. */
export interface Mutation {
  /** applyConfiguration defines the desired configuration values of an object. */
  applyConfiguration?: ApplyConfiguration;
  /** jsonPatch defines a [JSON patch](https://jsonpatch.com/) operation to perform a mutation to the object. */
  jsonPatch?: JSONPatch;
  /** patchType indicates the patch strategy used. Allowed values are "ApplyConfiguration" and "JSONPatch". */
  patchType: PatchType;
}

/** NamedRuleWithOperations is a tuple of Operations and Resources with ResourceNames. */
export interface NamedRuleWithOperations {
  /** apiGroups is the API groups the resources belong to. '*' is all groups. */
  apiGroups?: string[];
  /** apiVersions is the API versions the resources belong to. '*' is all versions. */
  apiVersions?: string[];
  /**
   * operations is the operations the admission hook cares about - CREATE, UPDATE, DELETE, CONNECT or * for all of those
   * operations and any future admission operations that are added.
   */
  operations?: admissionregistrationV1.OperationType[];
  /** resourceNames is an optional white list of names that the rule applies to. */
  resourceNames?: string[];
  /** resources is a list of resources this rule applies to. */
  resources?: string[];
  /**
   * scope specifies the scope of this rule. Valid values are "Cluster", "Namespaced", and "*" "Cluster" means that only
   * cluster-scoped resources will match this rule.
   */
  scope?: admissionregistrationV1.ScopeType;
}

/** ParamKind is a tuple of Group Kind and Version. */
export interface ParamKind {
  /** apiVersion is the API group version the resources belong to. In format of "group/version". */
  apiVersion?: string;
  /** kind is the API kind the resources belong to. Required. */
  kind?: string;
}

/**
 * ParamRef describes how to locate the params to be used as input to expressions of rules applied by a policy binding.
 */
export interface ParamRef {
  /** name is the name of the resource being referenced. */
  name?: string;
  /**
   * namespace is the namespace of the referenced resource. Allows limiting the search for params to a specific
   * namespace.
   */
  namespace?: string;
  /**
   * parameterNotFoundAction controls the behavior of the binding when the resource exists, and name or selector is
   * valid, but there are no parameters matched by the binding.
   */
  parameterNotFoundAction?: string;
  /** selector can be used to match multiple param objects based on their labels. */
  selector?: metaV1.LabelSelector;
}

/** Variable is the definition of a variable that is used for composition. */
export interface Variable {
  /** expression is the expression that will be evaluated as the value of the variable. */
  expression: string;
  /** name is the name of the variable. The name must be a valid CEL identifier and unique among all variables. */
  name: string;
}

/**
 * The values of `PatchType`.
 *
 * - `"ApplyConfiguration"` ApplyConfiguration indicates that the mutation is using apply configuration to mutate the
 *   object.
 * - `"JSONPatch"` JSONPatch indicates that the object is mutated through JSON Patch.
 */
export type PatchType = "ApplyConfiguration" | "JSONPatch";
