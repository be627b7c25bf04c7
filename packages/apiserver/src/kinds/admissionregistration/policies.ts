// Validation that admission policies, their bindings and webhooks share. Expressions must compile.

import { boolType, type CelType } from "@homeostat/cel";
import { dns1035LabelProblems, dnsSubdomainProblems, pathSegmentProblems } from "@homeostat/core";
import { admissionEnvironment, type EnvironmentForm } from "../../admission/cel/environment.ts";
import { compileExpression } from "../../admission/cel/expressions.ts";
import { compileVariables } from "../../admission/cel/variables.ts";
import type { Field } from "../../validation/field.ts";
import { checkLabelSelector } from "../../validation/label-selector.ts";
import { checkRule } from "./match-rules.ts";

const conditionsMax = 64;

const mutatingOperations = ["*", "CONNECT", "CREATE", "UPDATE"];

/** Checks the match conditions of a webhook or a policy. */
export function checkMatchConditions(
  conditions: Field,
  { hasParams = false }: { readonly hasParams?: boolean } = {},
): void {
  const { problems, path, length } = conditions;
  if (length > conditionsMax) {
    const detail = `must have at most ${conditionsMax} items`;
    problems.push({ path, type: "TooMany", detail, message: `Too many: ${length}: ${detail}`, value: length });
  }
  const names = new Set<string>();
  for (const condition of conditions.items()) {
    const [expression, name] = [condition.at("expression"), condition.at("name")];
    const source = expression.text.trim();
    if (source === "") expression.required();
    else checkExpression(expression, { source, form: { hasParams, hasAuthorizer: true }, types: [boolType] });
    if (name.text === "") name.required();
    else {
      name.qualifiedName();
      if (names.has(name.text)) name.duplicate();
      names.add(name.text);
    }
  }
}

/** Checks the fields that all policies have, and returns the environment of their expressions. */
export function checkPolicyHead(
  spec: Field,
  { isMutating = false }: { readonly isMutating?: boolean } = {},
): EnvironmentForm {
  spec.at("failurePolicy").oneOf(["Fail", "Ignore"], { isRequired: true });
  const paramKind = spec.at("paramKind");
  const hasParams = paramKind.isSet;
  if (hasParams) checkParamKind(paramKind);
  const constraints = spec.at("matchConstraints");
  if (!constraints.isSet) constraints.required();
  else {
    checkMatchResources(constraints);
    if (constraints.at("resourceRules").length === 0) constraints.at("resourceRules").required();
    if (isMutating) checkMutatingOperations(constraints);
  }
  checkMatchConditions(spec.at("matchConditions"), { hasParams });
  const variables = checkVariables(spec.at("variables"), hasParams);
  return { hasParams, hasAuthorizer: true, ...(isMutating || spec.at("variables").length > 0 ? { variables } : {}) };
}

function checkParamKind(paramKind: Field): void {
  const [apiVersion, kind] = [paramKind.at("apiVersion"), paramKind.at("kind")];
  const parts = apiVersion.text.split("/");
  if (apiVersion.text === "") apiVersion.required();
  else if (parts.length > 2) apiVersion.invalid(`unexpected GroupVersion string: ${apiVersion.text}`);
  else {
    const [group, version] = parts.length === 1 ? ["", apiVersion.text] : [parts[0] ?? "", parts[1] ?? ""];
    const wrongGroup = group === "" ? [] : dnsSubdomainProblems(group);
    if (wrongGroup.length > 0) apiVersion.invalid(wrongGroup.join(","), group);
    if (version === "") apiVersion.invalid("version must be specified");
    else {
      const wrong = dns1035LabelProblems(version);
      if (wrong.length > 0) apiVersion.invalid(wrong.join(","), version);
    }
  }
  if (kind.text === "") kind.required();
  else {
    const wrong = dns1035LabelProblems(kind.text.toLowerCase());
    if (wrong.length > 0) kind.invalid(`may have mixed case, but should otherwise match: ${wrong.join(",")}`);
  }
}

function checkMatchResources(match: Field): void {
  if (!match.isSet) return;
  match.at("matchPolicy").oneOf(["Equivalent", "Exact"], { isRequired: true });
  checkLabelSelector(match.at("namespaceSelector"));
  checkLabelSelector(match.at("objectSelector"));
  for (const list of ["resourceRules", "excludeResourceRules"]) {
    for (const rule of match.at(list).items()) {
      const names = new Set<string>();
      for (const name of rule.at("resourceNames").items()) {
        name.each(pathSegmentProblems(name.text));
        if (names.has(name.text)) name.duplicate();
        names.add(name.text);
      }
      checkRule(rule);
    }
  }
}

/** Checks that a policy which mutates matches only operations that can be mutated. */
export function checkMutatingOperations(match: Field): void {
  const rules = match.at("resourceRules");
  const operationsField = rules.as(`${rules.path}.operations`);
  for (const operation of rules.items().flatMap((rule) => rule.at("operations").items())) {
    if (!mutatingOperations.includes(operation.text)) operationsField.notSupported(mutatingOperations, operation.text);
  }
}

/** Checks variables, each of which may use those before it, and returns the type of all of them. */
function checkVariables(variables: Field, hasParams: boolean): CelType {
  const items = variables.items();
  const declared = items
    .map((each) => ({ name: each.at("name").text, expression: each.at("expression").text }))
    .filter(({ expression }) => expression.trim() !== "");
  const { type, problems } = compileVariables(declared, hasParams);
  const waiting = problems.values();
  for (const variable of items) {
    const [name, expression] = [variable.at("name"), variable.at("expression")];
    if (name.text.trim() === "") name.required("name is not specified");
    else if (!isIdentifier(name.text)) name.invalid("must be a valid CEL identifier");
    if (expression.text.trim() === "") expression.required("expression is not specified");
    else {
      const problem = waiting.next().value ?? "";
      if (problem !== "") expression.invalid(problem);
    }
  }
  return type;
}

const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

function isIdentifier(name: string): boolean {
  return /^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) && !reserved.has(name);
}

interface CheckedExpression {
  readonly source: string;
  /** Value shown in the error. Default: the source. */
  readonly shown?: string;
  readonly form: EnvironmentForm;
  /** Allowed types of the result; empty for any type. */
  readonly types: readonly CelType[];
}

/** Checks that an expression compiles and has one of the allowed types. */
export function checkExpression(expression: Field, { source, shown = source, form, types }: CheckedExpression): void {
  const { problem } = compileExpression(admissionEnvironment(form), source, types);
  if (problem !== "") expression.invalid(problem, shown);
}

/** Checks the fields that all policy bindings have. */
export function checkPolicyBinding(spec: Field): void {
  const name = spec.at("policyName");
  if (name.text === "") name.required();
  else name.dnsSubdomain();
  checkParamRef(spec.at("paramRef"));
  checkMatchResources(spec.at("matchResources"));
}

function checkParamRef(ref: Field): void {
  if (!ref.isSet) return;
  const [name, selector, action] = ["name", "selector", "parameterNotFoundAction"].map((field) => ref.at(field));
  if (name === undefined || selector === undefined || action === undefined) return;
  const exclusive = "name and selector are mutually exclusive";
  if (name.text !== "") {
    name.each(pathSegmentProblems(name.text));
    if (selector.isSet) name.forbidden(exclusive);
  }
  if (selector.isSet) {
    checkLabelSelector(selector);
    if (name.text !== "") selector.forbidden(exclusive);
  }
  if (name.text === "" && !selector.isSet) ref.required("one of name or selector must be specified");
  action.oneOf(["Deny", "Allow"], { isRequired: true });
}
