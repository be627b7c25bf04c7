// Compiled policies: the parts common to all, and ValidatingAdmissionPolicies.

import { boolType, type CelType, dynType, nullType, stringType } from "@homeostat/cel";
import { isRecord, type LabelSelector } from "@homeostat/core";
import { isSet, listAt, textAt, valueAt } from "../../values/fields.ts";
import { admissionEnvironment } from "../../admission/cel/environment.ts";
import { compileExpression, type Expression } from "../../admission/cel/expressions.ts";
import { type HookRule, ruleOf, selectorOf } from "../../admission/webhooks/hook.ts";
import { compileVariables, type PolicyVariables } from "../../admission/cel/variables.ts";

/** A resource rule of a policy, optionally limited to object names. */
export interface NamedRule extends HookRule {
  readonly names: readonly string[];
}

/** The requests that a policy or binding matches. */
export interface MatchResources {
  readonly namespaceSelector: LabelSelector;
  readonly objectSelector: LabelSelector;
  readonly rules: readonly NamedRule[];
  readonly excluded: readonly NamedRule[];
  readonly isEquivalentMatched: boolean;
}

/** A validation of a policy. */
export interface Validation {
  readonly expression: Expression;
  readonly message: string;
  readonly messageExpression: Expression | undefined;
  /** `Invalid` by default. */
  readonly reason: string;
}

/** The parts that all policies have, compiled. */
export interface PolicyBase {
  readonly name: string;
  readonly match: MatchResources;
  /** Kind of the parameter objects; undefined if the policy has none. */
  readonly paramKind: { readonly apiVersion: string; readonly kind: string } | undefined;
  readonly variables: PolicyVariables;
  readonly conditions: readonly Expression[];
  readonly isFailureIgnored: boolean;
}

/** A compiled ValidatingAdmissionPolicy. */
export interface Policy extends PolicyBase {
  readonly validations: readonly Validation[];
  readonly auditAnnotations: readonly Expression[];
}

/** Parses and compiles the parts that all policies have. */
export function compilePolicyBase(policy: unknown): PolicyBase {
  const paramKind = valueAt(policy, "spec", "paramKind");
  const hasParams = isRecord(paramKind);
  const variables = compileVariables(
    listAt(policy, "spec", "variables").map((each) => ({
      name: textAt(each, "name"),
      expression: textAt(each, "expression"),
    })),
    hasParams,
  );
  const environment = admissionEnvironment({ hasParams, hasAuthorizer: true, variables: variables.type });
  return {
    name: textAt(policy, "metadata", "name"),
    match: matchOf(valueAt(policy, "spec", "matchConstraints")),
    paramKind: hasParams ? { apiVersion: textAt(paramKind, "apiVersion"), kind: textAt(paramKind, "kind") } : undefined,
    variables,
    conditions: listAt(policy, "spec", "matchConditions").map((each) =>
      compileExpression(environment, textAt(each, "expression"), [boolType]),
    ),
    isFailureIgnored: textAt(policy, "spec", "failurePolicy") === "Ignore",
  };
}

/** Parses and compiles a ValidatingAdmissionPolicy. Message expressions have no `authorizer`, as on the real server. */
export function compilePolicy(policy: unknown): Policy {
  const base = compilePolicyBase(policy);
  const form = { hasParams: base.paramKind !== undefined, variables: base.variables.type };
  const environment = admissionEnvironment({ ...form, hasAuthorizer: true });
  const messageEnvironment = admissionEnvironment({ ...form, hasAuthorizer: false });
  const compile = (source: string, ...types: readonly CelType[]): Expression =>
    compileExpression(environment, source, types);
  return {
    ...base,
    validations: listAt(policy, "spec", "validations").map((each) => {
      const reason = textAt(each, "reason");
      const messageExpression = textAt(each, "messageExpression");
      return {
        expression: compile(textAt(each, "expression"), boolType),
        message: textAt(each, "message"),
        messageExpression:
          messageExpression === "" ? undefined : compileExpression(messageEnvironment, messageExpression, [stringType]),
        reason: reason === "" ? "Invalid" : reason,
      };
    }),
    auditAnnotations: listAt(policy, "spec", "auditAnnotations").map((each) =>
      compile(textAt(each, "valueExpression"), stringType, nullType, dynType),
    ),
  };
}

/** Parses `matchConstraints` or `matchResources`; absent fields match everything. */
export function matchOf(match: unknown): MatchResources {
  const rules = (field: string): NamedRule[] =>
    listAt(match, field).map((rule) => ({ ...ruleOf(rule), names: listAt(rule, "resourceNames").map(String) }));
  return {
    namespaceSelector: selectorOf(valueAt(match, "namespaceSelector")),
    objectSelector: selectorOf(valueAt(match, "objectSelector")),
    rules: rules("resourceRules"),
    excluded: rules("excludeResourceRules"),
    isEquivalentMatched: !isSet(match, "matchPolicy") || textAt(match, "matchPolicy") === "Equivalent",
  };
}
