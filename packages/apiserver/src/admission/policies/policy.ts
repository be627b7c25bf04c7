// Policies, compiled: what all of them have, and those that validate.

import { boolType, type CelType, dynType, nullType, stringType } from "@homeostat/cel";
import { isRecord, type LabelSelector } from "@homeostat/core";
import { isSet, listAt, textAt, valueAt } from "../../values/fields.ts";
import { admissionEnvironment } from "../cel/environment.ts";
import { compileExpression, type Expression } from "../cel/expressions.ts";
import { type HookRule, ruleOf, selectorOf } from "../webhooks/hook.ts";
import { compileVariables, type PolicyVariables } from "./variables.ts";

/** A rule of a policy: what it is about, and which names if not all. */
export interface NamedRule extends HookRule {
  readonly names: readonly string[];
}

/** Which requests a policy, or a binding of one, is about. */
export interface MatchResources {
  readonly namespaceSelector: LabelSelector;
  readonly objectSelector: LabelSelector;
  readonly rules: readonly NamedRule[];
  readonly excluded: readonly NamedRule[];
  readonly isEquivalentMatched: boolean;
}

/** One check of a policy. */
export interface Validation {
  readonly expression: Expression;
  readonly message: string;
  readonly messageExpression: Expression | undefined;
  /** `Invalid` unless it says otherwise. */
  readonly reason: string;
}

/** What all policies have, ready to be asked. */
export interface PolicyHead {
  readonly name: string;
  readonly match: MatchResources;
  /** The kind of the objects that it takes its parameters from; undefined for none. */
  readonly paramKind: { readonly apiVersion: string; readonly kind: string } | undefined;
  readonly variables: PolicyVariables;
  readonly conditions: readonly Expression[];
  readonly isFailureIgnored: boolean;
}

/** A policy that validates. */
export interface Policy extends PolicyHead {
  readonly validations: readonly Validation[];
  readonly auditAnnotations: readonly Expression[];
}

/** Reads and compiles what all policies have. */
export function policyHeadOf(policy: unknown): PolicyHead {
  const paramKind = valueAt(policy, "spec", "paramKind");
  const hasParams = isRecord(paramKind);
  const variables = compileVariables(
    listAt(policy, "spec", "variables").map((each) => ({
      name: textAt(each, "name"),
      expression: textAt(each, "expression"),
    })),
    hasParams,
  );
  const whole = admissionEnvironment({ hasParams, hasAuthorizer: true, variables: variables.type });
  return {
    name: textAt(policy, "metadata", "name"),
    match: matchOf(valueAt(policy, "spec", "matchConstraints")),
    paramKind: hasParams ? { apiVersion: textAt(paramKind, "apiVersion"), kind: textAt(paramKind, "kind") } : undefined,
    variables,
    conditions: listAt(policy, "spec", "matchConditions").map((each) =>
      compileExpression(whole, textAt(each, "expression"), [boolType]),
    ),
    isFailureIgnored: textAt(policy, "spec", "failurePolicy") === "Ignore",
  };
}

/** Reads and compiles a policy that validates. */
export function policyOf(policy: unknown): Policy {
  const head = policyHeadOf(policy);
  const form = { hasParams: head.paramKind !== undefined, variables: head.variables.type };
  const whole = admissionEnvironment({ ...form, hasAuthorizer: true });
  const words = admissionEnvironment({ ...form, hasAuthorizer: false });
  const compile = (source: string, ...types: readonly CelType[]): Expression => compileExpression(whole, source, types);
  return {
    ...head,
    validations: listAt(policy, "spec", "validations").map((each) => {
      const reason = textAt(each, "reason");
      const said = textAt(each, "messageExpression");
      return {
        expression: compile(textAt(each, "expression"), boolType),
        message: textAt(each, "message"),
        messageExpression: said === "" ? undefined : compileExpression(words, said, [stringType]),
        reason: reason === "" ? "Invalid" : reason,
      };
    }),
    auditAnnotations: listAt(policy, "spec", "auditAnnotations").map((each) =>
      compile(textAt(each, "valueExpression"), stringType, nullType, dynType),
    ),
  };
}

/** Which requests are meant; all of them where nothing is said. */
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
