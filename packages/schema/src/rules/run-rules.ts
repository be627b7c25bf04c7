import { CelEvaluationError, CelFailure, CelOptional, fromJson, type CelResult, type Program } from "@homeostat/cel";
import { isRecord, type JsonRecord, utf8Length } from "@homeostat/core";
import { duplicate, forbidden, invalid, required, type Problem } from "../problem/problem.ts";
import type { SchemaNode } from "../structural/node.ts";
import { hasKey } from "../value/record.ts";
import { findByKeys, keysIndex } from "../validation/list-keys.ts";
import type { CompiledRule } from "./compile-rule.ts";
import type { Ratchet } from "./ratchet.ts";
import type { RuleTree } from "./rule-tree.ts";

/** Cost limit of the API server for one evaluation. */
const evaluationCostMax = 1_000_000;

/** Cost limit of the API server for all evaluations on one object. */
const objectCostMax = 10_000_000;

const messageBytesMax = 5 * 1024;

/** One evaluation of all rules of a schema on an object, with a common cost budget. */
export class RuleRun {
  readonly problems: Problem[] = [];
  /** Remaining cost budget. Negative once it is exceeded: then no more rules run. */
  private budget: number;

  constructor(budget: number = objectCostMax) {
    this.budget = budget;
  }

  /** Runs the rules of a tree on a value. `old` is the value before the update, if there is one. */
  run(tree: RuleTree, value: unknown, old: unknown, path: string, ratchet: Ratchet): void {
    if (value === null || value === undefined || this.budget < 0) return;
    this.runHere(tree, value, old ?? undefined, path, ratchet);
    if (Array.isArray(value)) this.runElements(tree, value, old, path, ratchet);
    else if (isRecord(value)) this.runFields(tree, value, isRecord(old) ? old : {}, path, ratchet);
  }

  private runElements(tree: RuleTree, value: readonly unknown[], old: unknown, path: string, ratchet: Ratchet): void {
    const { items, node } = tree;
    if (items === undefined) return;
    const isKeyed = node.listType === "map" && Array.isArray(old);
    const index = isKeyed ? keysIndex(old, node.listMapKeys) : undefined;
    for (const [position, element] of value.entries()) {
      const before = index && findByKeys(index, element, node.listMapKeys);
      this.run(items, element, before, `${path}[${position}]`, ratchet.element(position));
      if (this.budget < 0) return;
    }
  }

  private runFields(tree: RuleTree, value: JsonRecord, old: JsonRecord, path: string, ratchet: Ratchet): void {
    const field = (inner: RuleTree, key: string, at: string): void => {
      const before = hasKey(old, key) ? old[key] : undefined;
      this.run(inner, value[key], before, at, ratchet.key(key));
    };
    if (tree.additional !== undefined) {
      for (const key of Object.keys(value)) field(tree.additional, key, `${path}[${key}]`);
    }
    for (const [name, inner] of tree.properties) {
      if (hasKey(value, name)) field(inner, name, path === "" ? name : `${path}.${name}`);
    }
  }

  private runHere(
    { node, shape, rules }: RuleTree,
    value: unknown,
    old: unknown,
    path: string,
    ratchet: Ratchet,
  ): void {
    if (rules.length === 0) return;
    if (this.budget <= 0) return this.stop(invalid(path, { value: node.type }, outOfBudget));
    const self = fromJson(value, shape);
    const oldSelf = old === undefined ? undefined : fromJson(old, shape);
    for (const rule of rules) {
      if ("problem" in rule) {
        this.problems.push(invalid(path, { value: node.type }, rule.problem));
        continue;
      }
      const isOptional = rule.source.optionalOldSelf === true;
      // Transition rules do not run on new values unless `optionalOldSelf` is set.
      if (rule.usesOldSelf && old === undefined && !isOptional) continue;
      this.runRule(rule, { node, value, path, ratchet, self, oldSelf, isOptional });
      if (this.budget < 0) return;
    }
  }

  private runRule(rule: CompiledRule, subject: Subject): void {
    const { node, path } = subject;
    const description = rule.source.message.trim() || rule.source.rule.trim();
    const problem = (detail: string): Problem => invalid(path, { value: node.type }, detail);
    const result = this.evaluate(rule.program, subject, subject.isOptional);
    if (result === undefined) return this.stop(problem(outOfBudget));
    if (result instanceof CelFailure) {
      const { message } = result;
      if (message.startsWith("operation cancelled: actual cost limit exceeded")) {
        const detail = `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${description}`;
        return this.stop(problem(detail));
      }
      const isOverload = message.startsWith("no such overload");
      const overload = `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${description}`;
      this.problems.push(problem(isOverload ? overload : `${message} evaluating rule: ${description}`));
    } else if (result !== true) this.fail(rule, subject);
  }

  /** Reports a rule that evaluated to false. */
  private fail(rule: CompiledRule, subject: Subject): void {
    const { node, value, path, ratchet } = subject;
    const at = rule.fieldPath === "" ? path : path === "" ? rule.fieldPath : `${path}.${rule.fieldPath}`;
    const { rule: text, message, reason } = rule.source;
    const report = (problem: Problem): void => {
      if (rule.usesOldSelf || !ratchet.isUnchanged()) this.problems.push(problem);
    };
    const evaluated = rule.message && this.evaluateMessage(rule, subject);
    if (evaluated !== undefined && "stop" in evaluated) {
      report(invalid(at, { value: node.type }, evaluated.stop));
      this.budget = -1;
      return;
    }
    const detail = evaluated?.message ?? (message === "" ? `failed rule: ${text.trim()}` : message.trim());
    const shown = node.type === "object" || node.type === "array" ? {} : { value };
    if (reason === "FieldValueForbidden") report(forbidden(at, detail));
    else if (reason === "FieldValueRequired") report(required(at, detail));
    else if (reason === "FieldValueDuplicate") report(duplicate(at, shown));
    else report(invalid(at, shown, detail));
  }

  /** Evaluates the message expression. Returns no message if it fails or returns an invalid one: empty, multi-line or too long. */
  private evaluateMessage(rule: CompiledRule, subject: Subject): { message?: string } | { stop: string } {
    if (rule.message === undefined) return {};
    const result = this.evaluate(rule.message, subject, false);
    if (result === undefined) {
      const detail =
        "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run";
      return { stop: detail };
    }
    if (result instanceof CelFailure) {
      if (!result.message.startsWith("operation cancelled: actual cost limit exceeded")) return {};
      const detail = `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${JSON.stringify(rule.source.messageExpression)}`;
      return { stop: detail };
    }
    const message = typeof result === "string" ? result.trim() : "";
    return message === "" || message.includes("\n") || utf8Length(message) > messageBytesMax ? {} : { message };
  }

  /** Evaluates an expression. Returns undefined if its cost exceeds the remaining budget. */
  private evaluate(program: Program, subject: Subject, isOptional: boolean): CelResult | undefined {
    try {
      const { value, cost } = program.evaluateWithCost(bindingsOf(subject, isOptional), {
        costLimit: evaluationCostMax,
      });
      return this.spend(cost) ? value : undefined;
    } catch (error) {
      if (!(error instanceof CelEvaluationError)) throw error;
      return this.spend(error.cost) ? new CelFailure(error.message) : undefined;
    }
  }

  private spend(cost: number): boolean {
    if (cost > this.budget) return false;
    this.budget -= cost;
    return true;
  }

  private stop(problem: Problem): void {
    this.problems.push(problem);
    this.budget = -1;
  }
}

const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run";

interface Subject {
  readonly node: SchemaNode;
  readonly value: unknown;
  readonly path: string;
  readonly ratchet: Ratchet;
  readonly self: CelResult;
  readonly oldSelf: CelResult | undefined;
  readonly isOptional: boolean;
}

function bindingsOf({ self, oldSelf }: Subject, isOptional: boolean): Readonly<Record<string, CelResult>> {
  if (!isOptional) return oldSelf === undefined ? { self } : { self, oldSelf };
  if (oldSelf instanceof CelFailure) return { self, oldSelf };
  return { self, oldSelf: oldSelf === undefined ? CelOptional.none : CelOptional.of(oldSelf) };
}
