// Policies of admission and their bindings: what the server wants of them, and whether their expressions compile.

import { boolType, type CelType, listType, nullType, stringType } from "@homeostat/cel";
import { dns1035LabelProblems, dnsSubdomainProblems, isRecord, pathSegmentProblems } from "@homeostat/core";
import { admissionEnvironment, type EnvironmentForm } from "../admission/cel/environment.ts";
import { compileExpression } from "../admission/cel/expressions.ts";
import { operationType, wholeObjectType } from "../admission/cel/patch-library.ts";
import { compileVariables } from "../admission/policies/variables.ts";
import { checkLabelSelector } from "./check-selectors.ts";
import { checkRule } from "./check-rules.ts";
import type { Field } from "./field.ts";

const conditionsMax = 64;
const annotationsMax = 20;
const annotationBytesMax = 5 * 1024;
const reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
const mutatingOperations = ["*", "CONNECT", "CREATE", "UPDATE"];

/** Checks a policy that validates. */
export function checkValidatingPolicy(object: Field): void {
  const spec = object.at("spec");
  const form = checkHead(spec);
  const [validations, annotations] = [spec.at("validations"), spec.at("auditAnnotations")];
  if (validations.length === 0 && annotations.length === 0) {
    const words = "validations or auditAnnotations must contain at least one item";
    validations.required(words);
    annotations.required(words);
    return;
  }
  for (const validation of validations.items()) checkValidation(validation, form);
  checkAnnotations(annotations, { form, name: object.at("metadata").at("name").text });
}

/** Checks a policy that changes objects. */
export function checkMutatingPolicy(object: Field): void {
  const spec = object.at("spec");
  const form = checkHead(spec, { isMutating: true });
  const mutations = spec.at("mutations");
  if (mutations.length === 0) mutations.required("mutations must contain at least one item");
  for (const mutation of mutations.items()) checkMutation(mutation, form);
  spec.at("reinvocationPolicy").oneOf(["IfNeeded", "Never"], { isRequired: true });
}

/** Checks a binding of a policy that validates. */
export function checkValidatingBinding(object: Field): void {
  const spec = object.at("spec");
  checkBinding(spec);
  const actions = spec.at("validationActions");
  const seen = new Set<string>();
  for (const action of actions.items()) {
    if (!["Audit", "Deny", "Warn"].includes(action.text)) action.notSupported(["Audit", "Deny", "Warn"]);
    if (seen.has(action.text)) action.duplicate();
    seen.add(action.text);
  }
  if (seen.has("Deny") && seen.has("Warn")) {
    actions.invalid(
      "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)",
    );
  }
  if (seen.size === 0) actions.required("at least one validation action is required");
}

/** Checks a binding of a policy that changes objects. */
export function checkMutatingBinding(object: Field): void {
  const spec = object.at("spec");
  checkBinding(spec);
  checkMutatingOperations(spec.at("matchResources"));
}

/** Checks the conditions under which a webhook or a policy is asked. */
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

/** Checks what all policies have, and tells what their expressions may use. */
function checkHead(spec: Field, { isMutating = false }: { readonly isMutating?: boolean } = {}): EnvironmentForm {
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

function checkMutatingOperations(match: Field): void {
  const rules = match.at("resourceRules");
  const place = rules.as(`${rules.path}.operations`);
  for (const operation of rules.items().flatMap((rule) => rule.at("operations").items())) {
    if (!mutatingOperations.includes(operation.text)) place.notSupported(mutatingOperations, operation.text);
  }
}

/** Checks variables, each of which may use those before it. The type of all of them. */
function checkVariables(variables: Field, hasParams: boolean): CelType {
  const items = variables.items();
  const said = items
    .map((each) => ({ name: each.at("name").text, expression: each.at("expression").text }))
    .filter(({ expression }) => expression.trim() !== "");
  const { type, problems } = compileVariables(said, hasParams);
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

function checkValidation(validation: Field, form: EnvironmentForm): void {
  const [expression, said, message] = ["expression", "messageExpression", "message"].map((name) => validation.at(name));
  if (expression === undefined || said === undefined || message === undefined) return;
  if (expression.text.trim() === "") expression.required("expression is not specified");
  else checkExpression(expression, { source: expression.text, form, types: [boolType] });
  if (said.text !== "" && said.text.trim() === "") said.invalid("must be non-empty if specified");
  else if (said.text !== "") {
    checkExpression(said, { source: said.text, form: { ...form, hasAuthorizer: false }, types: [stringType] });
  }
  if (message.text !== "" && message.text.trim() === "") message.invalid("must be non-empty if specified");
  else if (/[\n\r]/.test(message.text.trim())) message.invalid("must not contain line breaks");
  const reason = validation.at("reason");
  if (reason.isSet && !reasons.includes(reason.text)) reason.notSupported(reasons);
}

function checkAnnotations(
  annotations: Field,
  { form, name }: { readonly form: EnvironmentForm; readonly name: string },
): void {
  if (annotations.length > annotationsMax) {
    annotations.invalid(`must not have more than ${annotationsMax} auditAnnotations`);
  }
  const keys = new Set<string>();
  for (const annotation of annotations.items()) {
    const [key, value] = [annotation.at("key"), annotation.at("valueExpression")];
    if (name === "") key.invalid("requires metadata.name be non-empty");
    else key.with(`${name}/${key.text}`).qualifiedName();
    const source = value.text.trim();
    if (source === "") value.required("valueExpression is not specified");
    else if (Buffer.byteLength(source) > annotationBytesMax) {
      value.required(`must not exceed ${annotationBytesMax} bytes in length`);
    } else checkExpression(value, { source, shown: value.text, form, types: [stringType, nullType] });
    if (keys.has(key.text)) key.duplicate();
    keys.add(key.text);
  }
}

function checkMutation(mutation: Field, form: EnvironmentForm): void {
  const type = mutation.at("patchType");
  const [patch, configuration] = [mutation.at("jsonPatch"), mutation.at("applyConfiguration")];
  if (type.text === "") type.required();
  else if (type.text !== "JSONPatch" && type.text !== "ApplyConfiguration") {
    type.notSupported(["ApplyConfiguration", "JSONPatch"]);
  } else {
    const isPatch = type.text === "JSONPatch";
    const [own, other] = isPatch ? [patch, configuration] : [configuration, patch];
    if (!isRecord(own.value)) own.required(`must be specified when patchType is ${type.text}`);
    else checkMaking(own.at("expression"), form, isPatch ? listType(operationType) : wholeObjectType);
    if (other.isSet) {
      const shown = isPatch ? "{applyConfiguration}" : "{jsonPatch}";
      other.invalid(`must not be specified when patchType is ${type.text}`, shown);
    }
  }
}

function checkMaking(expression: Field, form: EnvironmentForm, type: CelType): void {
  const source = expression.text.trim();
  if (source === "") expression.required();
  else checkExpression(expression, { source, form: { ...form, makesPatches: true }, types: [type] });
}

interface Checked {
  readonly source: string;
  /** What a problem shows, where it is not the source. */
  readonly shown?: string;
  readonly form: EnvironmentForm;
  /** Any when there are none. */
  readonly types: readonly CelType[];
}

function checkExpression(expression: Field, { source, shown = source, form, types }: Checked): void {
  const { problem } = compileExpression(admissionEnvironment(form), source, types);
  if (problem !== "") expression.invalid(problem, shown);
}

function checkBinding(spec: Field): void {
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
