// Generated from Kubernetes 1.36.3 by tools/kubernetes-types. Do not edit: run `npm run generate:kubernetes`.
// Descriptions are shortened from those of the Kubernetes API: Copyright The Kubernetes Authors.
// Licensed under the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0).

import type * as metaV1 from "../meta/v1.ts";
import type { BuiltInResource } from "../../built-in-resource.ts";

const everyVerb: readonly string[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** ApplyConfiguration defines the desired configuration values of an object. */
export interface ApplyConfiguration {
  /** expression will be evaluated by CEL to create an apply configuration. ref: https://github.com/google/cel-spec */
  expression?: string;
}

/** AuditAnnotation describes how to produce an audit annotation for an API request. */
export interface AuditAnnotation {
  /**
   * key specifies the audit annotation key. The audit annotation keys of a ValidatingAdmissionPolicy must be unique.
   */
  key: string;
  /** valueExpression represents the expression which is evaluated by CEL to produce an audit annotation value. */
  valueExpression: string;
}

/** ExpressionWarning is a warning information that targets a specific expression. */
export interface ExpressionWarning {
  /**
   * fieldRef is the path to the field that refers to the expression. For example, the reference to the expression of
   * the first item of validations is "spec.validations[0].expression"
   */
  fieldRef: string;
  /** warning contains the content of type checking information in a human-readable form. */
  warning: string;
}

/** JSONPatch defines a JSON Patch. */
export interface JSONPatch {
  /**
   * expression will be evaluated by CEL to create a [JSON patch](https://jsonpatch.com/). ref:
   * https://github.com/google/cel-spec
   */
  expression?: string;
}

/** MatchCondition represents a condition which must by fulfilled for a request to be sent to a webhook. */
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
  matchPolicy?: MatchPolicyType;
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
  apiVersion: "admissionregistration.k8s.io/v1";
  kind: "MutatingAdmissionPolicy";
  metadata: metaV1.ObjectMeta;
  /** spec defines the desired behavior of the MutatingAdmissionPolicy. */
  spec?: MutatingAdmissionPolicySpec;
}

/** The resource `mutatingadmissionpolicies` of `admissionregistration.k8s.io/v1`. */
export const MutatingAdmissionPolicy: BuiltInResource<MutatingAdmissionPolicy, "Cluster"> = {
  group: "admissionregistration.k8s.io",
  version: "v1",
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
  apiVersion: "admissionregistration.k8s.io/v1";
  kind: "MutatingAdmissionPolicyBinding";
  metadata: metaV1.ObjectMeta;
  /** spec defines the desired behavior of the MutatingAdmissionPolicyBinding. */
  spec?: MutatingAdmissionPolicyBindingSpec;
}

/** The resource `mutatingadmissionpolicybindings` of `admissionregistration.k8s.io/v1`. */
export const MutatingAdmissionPolicyBinding: BuiltInResource<MutatingAdmissionPolicyBinding, "Cluster"> = {
  group: "admissionregistration.k8s.io",
  version: "v1",
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
  apiVersion: "admissionregistration.k8s.io/v1";
  kind: "MutatingAdmissionPolicyBindingList";
  metadata: metaV1.ListMeta;
  /** List of PolicyBinding. */
  items: MutatingAdmissionPolicyBinding[];
}

/** MutatingAdmissionPolicyBindingSpec defines the specification of the MutatingAdmissionPolicyBinding. */
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
  apiVersion: "admissionregistration.k8s.io/v1";
  kind: "MutatingAdmissionPolicyList";
  metadata: metaV1.ListMeta;
  /** List of ValidatingAdmissionPolicy. */
  items: MutatingAdmissionPolicy[];
}

/** MutatingAdmissionPolicySpec defines the desired behavior of the admission policy. */
export interface MutatingAdmissionPolicySpec {
  /** failurePolicy defines how to handle failures for the admission policy. */
  failurePolicy?: FailurePolicyType;
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
  reinvocationPolicy?: ReinvocationPolicyType;
  /** variables contain definitions of variables that can be used in composition of other expressions. */
  variables?: Variable[];
}

/** MutatingWebhook describes an admission webhook and the resources and operations it applies to. */
export interface MutatingWebhook {
  /** admissionReviewVersions is an ordered list of preferred `AdmissionReview` versions the Webhook expects. */
  admissionReviewVersions: string[];
  /** clientConfig defines how to communicate with the hook. Required */
  clientConfig: WebhookClientConfig;
  /**
   * failurePolicy defines how unrecognized errors from the admission endpoint are handled - allowed values are Ignore
   * or Fail.
   */
  failurePolicy?: FailurePolicyType;
  /** matchConditions is a list of conditions that must be met for a request to be sent to this webhook. */
  matchConditions?: MatchCondition[];
  /** matchPolicy defines how the "rules" list is used to match incoming requests. */
  matchPolicy?: MatchPolicyType;
  /**
   * name is the name of the admission webhook. Name should be fully qualified, e.g., imagepolicy.kubernetes.io, where
   * "imagepolicy" is the name of the webhook, and kubernetes.io is the name of the organization.
   */
  name: string;
  /**
   * namespaceSelector decides whether to run the webhook on an object based on whether the namespace for that object
   * matches the selector.
   */
  namespaceSelector?: metaV1.LabelSelector;
  /**
   * objectSelector decides whether to run the webhook based on if the object has matching labels. objectSelector is
   * evaluated against both the oldObject and newObject that would be sent to the webhook, and is considered to match if
   * either object matches the selector.
   */
  objectSelector?: metaV1.LabelSelector;
  /**
   * reinvocationPolicy indicates whether this webhook should be called multiple times as part of a single admission
   * evaluation.
   */
  reinvocationPolicy?: ReinvocationPolicyType;
  /** rules describes what operations on what resources/subresources the webhook cares about. */
  rules?: RuleWithOperations[];
  /**
   * sideEffects states whether this webhook has side effects. Acceptable values are: None, NoneOnDryRun (webhooks
   * created via v1beta1 may also specify Some or Unknown).
   */
  sideEffects: SideEffectClass;
  /**
   * timeoutSeconds specifies the timeout for this webhook. After the timeout passes, the webhook call will be ignored
   * or the API call will fail based on the failure policy.
   */
  timeoutSeconds?: number;
}

/**
 * MutatingWebhookConfiguration describes the configuration of and admission webhook that accept or reject and may
 * change the object.
 */
export interface MutatingWebhookConfiguration {
  apiVersion: "admissionregistration.k8s.io/v1";
  kind: "MutatingWebhookConfiguration";
  metadata: metaV1.ObjectMeta;
  /** webhooks is a list of webhooks and the affected resources and operations. */
  webhooks?: MutatingWebhook[];
}

/** The resource `mutatingwebhookconfigurations` of `admissionregistration.k8s.io/v1`. */
export const MutatingWebhookConfiguration: BuiltInResource<MutatingWebhookConfiguration, "Cluster"> = {
  group: "admissionregistration.k8s.io",
  version: "v1",
  kind: "MutatingWebhookConfiguration",
  plural: "mutatingwebhookconfigurations",
  singular: "mutatingwebhookconfiguration",
  scope: "Cluster",
  shortNames: [],
  categories: ["api-extensions"],
  subresources: [],
  verbs: everyVerb,
};

/** MutatingWebhookConfigurationList is a list of MutatingWebhookConfiguration. */
export interface MutatingWebhookConfigurationList {
  apiVersion: "admissionregistration.k8s.io/v1";
  kind: "MutatingWebhookConfigurationList";
  metadata: metaV1.ListMeta;
  /** List of MutatingWebhookConfiguration. */
  items: MutatingWebhookConfiguration[];
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
  operations?: OperationType[];
  /** resourceNames is an optional white list of names that the rule applies to. */
  resourceNames?: string[];
  /** resources is a list of resources this rule applies to. */
  resources?: string[];
  /**
   * scope specifies the scope of this rule. Valid values are "Cluster", "Namespaced", and "*" "Cluster" means that only
   * cluster-scoped resources will match this rule.
   */
  scope?: ScopeType;
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

/**
 * RuleWithOperations is a tuple of Operations and Resources. It is recommended to make sure that all the tuple
 * expansions are valid.
 */
export interface RuleWithOperations {
  /** apiGroups is the API groups the resources belong to. '*' is all groups. */
  apiGroups?: string[];
  /** apiVersions is the API versions the resources belong to. '*' is all versions. */
  apiVersions?: string[];
  /**
   * operations is the operations the admission hook cares about - CREATE, UPDATE, DELETE, CONNECT or * for all of those
   * operations and any future admission operations that are added.
   */
  operations?: OperationType[];
  /** resources is a list of resources this rule applies to. */
  resources?: string[];
  /**
   * scope specifies the scope of this rule. Valid values are "Cluster", "Namespaced", and "*" "Cluster" means that only
   * cluster-scoped resources will match this rule.
   */
  scope?: ScopeType;
}

/** ServiceReference holds a reference to Service.legacy.k8s.io */
export interface ServiceReference {
  /** name is the name of the service. Required */
  name: string;
  /** namespace is the namespace of the service. Required */
  namespace: string;
  /** path is an optional URL path which will be sent in any request to this service. */
  path?: string;
  /** port is the port on the service that hosts the webhook. Default to 443 for backward compatibility. */
  port?: number;
}

/** TypeChecking contains results of type checking the expressions in the ValidatingAdmissionPolicy */
export interface TypeChecking {
  /** expressionWarnings contains the type checking warnings for each expression. */
  expressionWarnings?: ExpressionWarning[];
}

/**
 * ValidatingAdmissionPolicy describes the definition of an admission validation policy that accepts or rejects an
 * object without changing it.
 */
export interface ValidatingAdmissionPolicy {
  apiVersion: "admissionregistration.k8s.io/v1";
  kind: "ValidatingAdmissionPolicy";
  metadata: metaV1.ObjectMeta;
  /** spec defines the desired behavior of the ValidatingAdmissionPolicy. */
  spec?: ValidatingAdmissionPolicySpec;
  /**
   * status represents the current status of the ValidatingAdmissionPolicy, including warnings that are useful to
   * determine if the policy behaves in the expected way.
   */
  status?: ValidatingAdmissionPolicyStatus;
}

/** The resource `validatingadmissionpolicies` of `admissionregistration.k8s.io/v1`. */
export const ValidatingAdmissionPolicy: BuiltInResource<ValidatingAdmissionPolicy, "Cluster"> = {
  group: "admissionregistration.k8s.io",
  version: "v1",
  kind: "ValidatingAdmissionPolicy",
  plural: "validatingadmissionpolicies",
  singular: "validatingadmissionpolicy",
  scope: "Cluster",
  shortNames: [],
  categories: ["api-extensions"],
  subresources: ["status"],
  verbs: everyVerb,
};

/** ValidatingAdmissionPolicyBinding binds the ValidatingAdmissionPolicy with paramerized resources. */
export interface ValidatingAdmissionPolicyBinding {
  apiVersion: "admissionregistration.k8s.io/v1";
  kind: "ValidatingAdmissionPolicyBinding";
  metadata: metaV1.ObjectMeta;
  /** spec defines the desired behavior of the ValidatingAdmissionPolicyBinding. */
  spec: ValidatingAdmissionPolicyBindingSpec;
}

/** The resource `validatingadmissionpolicybindings` of `admissionregistration.k8s.io/v1`. */
export const ValidatingAdmissionPolicyBinding: BuiltInResource<ValidatingAdmissionPolicyBinding, "Cluster"> = {
  group: "admissionregistration.k8s.io",
  version: "v1",
  kind: "ValidatingAdmissionPolicyBinding",
  plural: "validatingadmissionpolicybindings",
  singular: "validatingadmissionpolicybinding",
  scope: "Cluster",
  shortNames: [],
  categories: ["api-extensions"],
  subresources: [],
  verbs: everyVerb,
};

/** ValidatingAdmissionPolicyBindingList is a list of ValidatingAdmissionPolicyBinding. */
export interface ValidatingAdmissionPolicyBindingList {
  apiVersion: "admissionregistration.k8s.io/v1";
  kind: "ValidatingAdmissionPolicyBindingList";
  metadata: metaV1.ListMeta;
  /** List of PolicyBinding. */
  items: ValidatingAdmissionPolicyBinding[];
}

/** ValidatingAdmissionPolicyBindingSpec is the specification of the ValidatingAdmissionPolicyBinding. */
export interface ValidatingAdmissionPolicyBindingSpec {
  /** matchResources declares what resources match this binding and will be validated by it. */
  matchResources?: MatchResources;
  /** paramRef specifies the parameter resource used to configure the admission control policy. */
  paramRef?: ParamRef;
  /** policyName references a ValidatingAdmissionPolicy name which the ValidatingAdmissionPolicyBinding binds to. */
  policyName: string;
  /** validationActions declares how Validations of the referenced ValidatingAdmissionPolicy are enforced. */
  validationActions: ValidationAction[];
}

/** ValidatingAdmissionPolicyList is a list of ValidatingAdmissionPolicy. */
export interface ValidatingAdmissionPolicyList {
  apiVersion: "admissionregistration.k8s.io/v1";
  kind: "ValidatingAdmissionPolicyList";
  metadata: metaV1.ListMeta;
  /** List of ValidatingAdmissionPolicy. */
  items: ValidatingAdmissionPolicy[];
}

/** ValidatingAdmissionPolicySpec is the specification of the desired behavior of the AdmissionPolicy. */
export interface ValidatingAdmissionPolicySpec {
  /**
   * auditAnnotations contains CEL expressions which are used to produce audit annotations for the audit event of the
   * API request. validations and auditAnnotations may not both be empty; a least one of validations or auditAnnotations
   * is required.
   */
  auditAnnotations?: AuditAnnotation[];
  /** failurePolicy defines how to handle failures for the admission policy. */
  failurePolicy?: FailurePolicyType;
  /** matchConditions is a list of conditions that must be met for a request to be validated. */
  matchConditions?: MatchCondition[];
  /** matchConstraints specifies what resources this policy is designed to validate. */
  matchConstraints?: MatchResources;
  /** paramKind specifies the kind of resources used to parameterize this policy. */
  paramKind?: ParamKind;
  /** validations contain CEL expressions which is used to apply the validation. */
  validations?: Validation[];
  /** variables contain definitions of variables that can be used in composition of other expressions. */
  variables?: Variable[];
}

/** ValidatingAdmissionPolicyStatus represents the status of an admission validation policy. */
export interface ValidatingAdmissionPolicyStatus {
  /** conditions represent the latest available observations of a policy's current state. */
  conditions?: metaV1.Condition[];
  /** observedGeneration is the generation observed by the controller. */
  observedGeneration?: number;
  /** typeChecking contains the results of type checking for each expression. */
  typeChecking?: TypeChecking;
}

/** ValidatingWebhook describes an admission webhook and the resources and operations it applies to. */
export interface ValidatingWebhook {
  /** admissionReviewVersions is an ordered list of preferred `AdmissionReview` versions the Webhook expects. */
  admissionReviewVersions: string[];
  /** clientConfig defines how to communicate with the hook. Required */
  clientConfig: WebhookClientConfig;
  /**
   * failurePolicy defines how unrecognized errors from the admission endpoint are handled - allowed values are Ignore
   * or Fail.
   */
  failurePolicy?: FailurePolicyType;
  /** matchConditions is a list of conditions that must be met for a request to be sent to this webhook. */
  matchConditions?: MatchCondition[];
  /** matchPolicy defines how the "rules" list is used to match incoming requests. */
  matchPolicy?: MatchPolicyType;
  /**
   * name is the name of the admission webhook. Name should be fully qualified, e.g., imagepolicy.kubernetes.io, where
   * "imagepolicy" is the name of the webhook, and kubernetes.io is the name of the organization.
   */
  name: string;
  /**
   * namespaceSelector decides whether to run the webhook on an object based on whether the namespace for that object
   * matches the selector.
   */
  namespaceSelector?: metaV1.LabelSelector;
  /**
   * objectSelector decides whether to run the webhook based on if the object has matching labels. objectSelector is
   * evaluated against both the oldObject and newObject that would be sent to the webhook, and is considered to match if
   * either object matches the selector.
   */
  objectSelector?: metaV1.LabelSelector;
  /** rules describes what operations on what resources/subresources the webhook cares about. */
  rules?: RuleWithOperations[];
  /**
   * sideEffects states whether this webhook has side effects. Acceptable values are: None, NoneOnDryRun (webhooks
   * created via v1beta1 may also specify Some or Unknown).
   */
  sideEffects: SideEffectClass;
  /**
   * timeoutSeconds specifies the timeout for this webhook. After the timeout passes, the webhook call will be ignored
   * or the API call will fail based on the failure policy.
   */
  timeoutSeconds?: number;
}

/**
 * ValidatingWebhookConfiguration describes the configuration of and admission webhook that accept or reject and object
 * without changing it.
 */
export interface ValidatingWebhookConfiguration {
  apiVersion: "admissionregistration.k8s.io/v1";
  kind: "ValidatingWebhookConfiguration";
  metadata: metaV1.ObjectMeta;
  /** webhooks is a list of webhooks and the affected resources and operations. */
  webhooks?: ValidatingWebhook[];
}

/** The resource `validatingwebhookconfigurations` of `admissionregistration.k8s.io/v1`. */
export const ValidatingWebhookConfiguration: BuiltInResource<ValidatingWebhookConfiguration, "Cluster"> = {
  group: "admissionregistration.k8s.io",
  version: "v1",
  kind: "ValidatingWebhookConfiguration",
  plural: "validatingwebhookconfigurations",
  singular: "validatingwebhookconfiguration",
  scope: "Cluster",
  shortNames: [],
  categories: ["api-extensions"],
  subresources: [],
  verbs: everyVerb,
};

/** ValidatingWebhookConfigurationList is a list of ValidatingWebhookConfiguration. */
export interface ValidatingWebhookConfigurationList {
  apiVersion: "admissionregistration.k8s.io/v1";
  kind: "ValidatingWebhookConfigurationList";
  metadata: metaV1.ListMeta;
  /** List of ValidatingWebhookConfiguration. */
  items: ValidatingWebhookConfiguration[];
}

/** Validation specifies the CEL expression which is used to apply the validation. */
export interface Validation {
  /**
   * expression represents the expression which will be evaluated by CEL. ref: https://github.com/google/cel-spec CEL
   * expressions have access to the contents of the API request/response, organized into CEL variables as well as some
   * other useful variables:
   */
  expression: string;
  /**
   * message represents the message displayed when validation fails. The message is required if the Expression contains
   * line breaks.
   */
  message?: string;
  /**
   * messageExpression declares a CEL expression that evaluates to the validation failure message that is returned when
   * this rule fails.
   */
  messageExpression?: string;
  /** reason represents a machine-readable description of why this validation failed. */
  reason?: string;
}

/** Variable is the definition of a variable that is used for composition. */
export interface Variable {
  /** expression is the expression that will be evaluated as the value of the variable. */
  expression: string;
  /** name is the name of the variable. The name must be a valid CEL identifier and unique among all variables. */
  name: string;
}

/** WebhookClientConfig contains the information to make a TLS connection with the webhook */
export interface WebhookClientConfig {
  /** caBundle is a PEM encoded CA bundle which will be used to validate the webhook's server certificate. */
  caBundle?: string;
  /** service is a reference to the service for this webhook. Either `service` or `url` must be specified. */
  service?: ServiceReference;
  /** url gives the location of the webhook, in standard URL form (`scheme://host:port/path`). */
  url?: string;
}

/**
 * The values of `FailurePolicyType`.
 *
 * - `"Fail"` means that an error calling the webhook causes the admission to fail.
 * - `"Ignore"` means that an error calling the webhook is ignored.
 */
export type FailurePolicyType = "Fail" | "Ignore";

/**
 * The values of `MatchPolicyType`.
 *
 * - `"Equivalent"` means requests should be sent to the webhook if they modify a resource listed in rules via another
 *   API group or version.
 * - `"Exact"` means requests should only be sent to the webhook if they exactly match a given rule.
 */
export type MatchPolicyType = "Equivalent" | "Exact";

/** The values of `OperationType`. */
export type OperationType = "*" | "CONNECT" | "CREATE" | "DELETE" | "UPDATE";

/**
 * The values of `PatchType`.
 *
 * - `"ApplyConfiguration"` ApplyConfiguration indicates that the mutation is using apply configuration to mutate the
 *   object.
 * - `"JSONPatch"` JSONPatch indicates that the object is mutated through JSON Patch.
 */
export type PatchType = "ApplyConfiguration" | "JSONPatch";

/**
 * The values of `ReinvocationPolicyType`.
 *
 * - `"IfNeeded"` indicates that the mutation may be called at least one additional time as part of the admission
 *   evaluation if the object being admitted is modified by other admission plugins after the initial mutation call.
 * - `"Never"` indicates that the mutation must not be called more than once in a single admission evaluation.
 */
export type ReinvocationPolicyType = "IfNeeded" | "Never";

/**
 * The values of `ScopeType`.
 *
 * - `"*"` means that all scopes are included.
 * - `"Cluster"` means that scope is limited to cluster-scoped objects.
 * - `"Namespaced"` means that scope is limited to namespaced objects.
 */
export type ScopeType = "*" | "Cluster" | "Namespaced";

/**
 * The values of `SideEffectClass`.
 *
 * - `"None"` means that calling the webhook will have no side effects.
 * - `"NoneOnDryRun"` means that calling the webhook will possibly have side effects, but if the request being
 *   reviewed has the dry-run attribute, the side effects will be suppressed.
 * - `"Some"` means that calling the webhook will possibly have side effects.
 * - `"Unknown"` means that no information is known about the side effects of calling the webhook.
 */
export type SideEffectClass = "None" | "NoneOnDryRun" | "Some" | "Unknown";

/** The values of `ValidationAction`. */
export type ValidationAction = "Audit" | "Deny" | "Warn";
