import { forbidden, internal, invalid, type Problem } from "../problem/problem.ts";
import { printJson } from "../problem/print.ts";
import type { RulesCheck, Surroundings, Trail } from "./check-node.ts";
import type { RuleNode, SchemaNode } from "../structural/node.ts";
import { compileRules, type RuleCompilation } from "../rules/compile-rule.ts";
import { cardinalityOf, ruleCostMax, costExceeded, type CostAccount } from "./cost.ts";
import { missingLimits } from "./limits-hint.ts";
import { checkRuleText } from "./rule-text.ts";

/**
 * Returns a function that checks the rules of the nodes of one schema.
 *
 * Without an account only the text of rules is checked, not their expressions. The caller passes no account if the schema is not
 * structural, because expressions cannot be type-checked then.
 */
export function rulesCheck(account: CostAccount | undefined): RulesCheck {
  return ({ node, path, surroundings, trail, isSound }) => {
    const at = `${path}.x-kubernetes-validations`;
    const schema = node.rules.flatMap((rule, index) => checkRuleText(rule, node, `${at}[${index}]`));
    if (account === undefined || !surroundings.mayHaveRules || !isSound || schema.length > 0)
      return { schema, rules: [] };
    return { schema, rules: checkExpressions(node, at, surroundings, trail, account) };
  };
}

function checkExpressions(
  node: SchemaNode,
  path: string,
  surroundings: Surroundings,
  trail: Trail | undefined,
  account: CostAccount,
): Problem[] {
  const compiled = compileRules(node, { isResource: surroundings.isRoot || node.embeddedResource });
  if (compiled === undefined) {
    const detail =
      "internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations";
    return [internal(path, detail)];
  }
  const cardinality = cardinalityOf(trail, compiled.shape.bytesMin);
  return compiled.compilations.flatMap((compilation, index) => {
    const rule = node.rules[index];
    if (compilation === undefined || rule === undefined) return [];
    const at = `${path}[${index}]`;
    return [
      ...checkCost(compilation, cardinality, at, node, trail, account),
      ...checkCompilation(compilation, rule, at, surroundings),
    ];
  });
}

function checkCost(
  { costMax, messageCostMax }: RuleCompilation,
  cardinality: number,
  path: string,
  node: SchemaNode,
  trail: Trail | undefined,
  account: CostAccount,
): Problem[] {
  const problems: Problem[] = [];
  const checkLimit = (at: string, subject: string, cost: number): void => {
    if (cost <= ruleCostMax) return;
    const problem = forbidden(at, costExceeded(subject, cost, ruleCostMax));
    const hint = missingLimits(node, trail);
    problems.push(hint === undefined ? problem : { ...problem, hint });
  };
  checkLimit(`${path}.rule`, "estimated rule cost", costMax * cardinality);
  checkLimit(`${path}.messageExpression`, "estimated messageExpression cost", messageCostMax);
  account.add(`${path}.rule`, costMax * cardinality);
  if (messageCostMax > 0) account.add(`${path}.messageExpression`, messageCostMax);
  return problems;
}

function checkCompilation(
  { rule: compiled, problem, messageProblem }: RuleCompilation,
  rule: RuleNode,
  path: string,
  { uncorrelatable }: Surroundings,
): Problem[] {
  const problems: Problem[] = [];
  const shown = { value: rule, printed: printRule(rule) };
  if (problem !== undefined) problems.push(invalid(`${path}.rule`, shown, problem));
  if (messageProblem !== undefined) problems.push(invalid(`${path}.messageExpression`, shown, messageProblem));
  if (compiled?.usesOldSelf === true) {
    if (uncorrelatable !== undefined) {
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
      problems.push(invalid(`${path}.rule`, { value: rule.rule }, detail));
    }
  } else if (rule.optionalOldSelf !== undefined) {
    const detail = "may not be set if oldSelf is not used in rule";
    problems.push(invalid(`${path}.optionalOldSelf`, { value: rule.optionalOldSelf }, detail));
  }
  return problems;
}

/** Prints a rule as the API server does: the fields of the Go type, in their order. */
function printRule(rule: RuleNode): string {
  const fields = [
    ["Rule", rule.rule],
    ["Message", rule.message],
    ["MessageExpression", rule.messageExpression],
    ["Reason", rule.reason ?? null],
    ["FieldPath", rule.fieldPath],
    ["OptionalOldSelf", rule.optionalOldSelf ?? null],
  ] as const;
  return `{${fields.map(([name, value]) => `"${name}":${printJson(value)}`).join(",")}}`;
}
