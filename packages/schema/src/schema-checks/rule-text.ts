import { invalid, notSupported, required, type Problem } from "../problem/problem.ts";
import type { RuleNode, SchemaNode } from "../structural/node.ts";
import { findUnsupported } from "./unsupported.ts";
import { normalizeFieldPath } from "../rules/field-path.ts";

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/** Checks all properties of a rule except its expressions. */
export function checkRuleText(rule: RuleNode, node: SchemaNode, path: string): Problem[] {
  const problems = checkMessage(rule, path);
  if (rule.messageExpression !== "" && rule.messageExpression.trim() === "") {
    problems.push(required(`${path}.messageExpression`, "messageExpression must be non-empty if specified"));
  }
  if (rule.reason !== undefined && !reasons.includes(rule.reason)) {
    problems.push(notSupported(`${path}.reason`, rule.reason, reasons));
  }
  const { fieldPath } = rule;
  const pathProblem = (detail: string): Problem => invalid(`${path}.fieldPath`, { value: fieldPath }, detail);
  if (fieldPath !== "" && fieldPath.trim() === "") problems.push(pathProblem("must be non-empty if specified"));
  if (hasLineBreak(fieldPath)) problems.push(pathProblem("must not contain line breaks"));
  // Like the API server, do not resolve the path in a schema that cannot be converted to a structural one.
  if (fieldPath !== "" && normalizeFieldPath(fieldPath, node) === undefined && findUnsupported(node) === undefined) {
    problems.push(pathProblem("must be a valid path"));
  }
  return problems;
}

/** Checks rule and message. Reports only the first problem, as the API server does. */
function checkMessage({ rule, message }: RuleNode, path: string): Problem[] {
  const [trimmedRule, trimmedMessage] = [rule.trim(), message.trim()];
  if (trimmedRule === "") return [required(`${path}.rule`, "rule is not specified")];
  if (message !== "" && trimmedMessage === "") {
    return [invalid(`${path}.message`, { value: message }, "must be non-empty if specified")];
  }
  if (hasLineBreak(trimmedMessage)) {
    return [invalid(`${path}.message`, { value: message }, "must not contain line breaks")];
  }
  if (hasLineBreak(trimmedRule) && trimmedMessage === "") {
    return [required(`${path}.message`, "message must be specified if rule contains line breaks")];
  }
  return [];
}

function hasLineBreak(text: string): boolean {
  return /[\n\r]/.test(text);
}
