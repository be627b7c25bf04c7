import { CelEvaluationError, CelFailure, CelOptional, fromJson, type CelResult, type Program } from "@homeostat/cel";
import { isRecord, type JsonRecord, utf8Length } from "@homeostat/core";
import { duplicate, forbidden, invalid, required, type Problem } from "../problem/problem.ts";
import type { SchemaNode } from "../structural/node.ts";
import { hasKey } from "../value/record.ts";
import { findByKeys, keysIndex } from "../validation/list-keys.ts";
import type { CompiledRule } from "./compile-rule.ts";
import type { Ratchet } from "./ratchet.ts";
import type { RuleTree } from "./rule-tree.ts";

/** The most one evaluation may cost. */
const evaluationCostMax = 1_000_000;

/** The most all evaluations for one object may cost. */
const objectCostMax = 10_000_000;

const messageBytesMax = 5 * 1024;

/** One run of the rules of a schema over an object. */
export class RuleRun {
  readonly problems: Problem[] = [];
  /** What is left to spend. Negative once it was overdrawn: then no more rules run. */
  private budget: number;

  constructor(budget: number = objectCostMax) {
    this.budget = budget;
  }

  /** Runs the rules of a tree on a value. `old` is the value before an update, where it is known. */
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
      // A rule about change has nothing to say about what is new, unless it asked to.
      if (rule.usesOldSelf && old === undefined && !isOptional) continue;
      this.runRule(rule, { node, value, path, ratchet, self, oldSelf, isOptional });
      if (this.budget < 0) return;
    }
  }

  private runRule(rule: CompiledRule, subject: Subject): void {
    const { node, path } = subject;
    const words = rule.source.message.trim() || rule.source.rule.trim();
    const problem = (detail: string): Problem => invalid(path, { value: node.type }, detail);
    const result = this.evaluate(rule.program, subject, subject.isOptional);
    if (result === undefined) return this.stop(problem(outOfBudget));
    if (result instanceof CelFailure) {
      const { message } = result;
      if (message.startsWith("operation cancelled: actual cost limit exceeded")) {
        const detail = `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${words}`;
        return this.stop(problem(detail));
      }
      const isOverload = message.startsWith("no such overload");
      const overload = `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${words}`;
      this.problems.push(problem(isOverload ? overload : `${message} evaluating rule: ${words}`));
    } else if (result !== true) this.fail(rule, subject);
  }

  /** Reports a rule that was answered with no. */
  private fail(rule: CompiledRule, subject: Subject): void {
    const { node, value, path, ratchet } = subject;
    const at = rule.fieldPath === "" ? path : path === "" ? rule.fieldPath : `${path}.${rule.fieldPath}`;
    const { rule: text, message, reason } = rule.source;
    const report = (problem: Problem): void => {
      if (rule.usesOldSelf || !ratchet.isUnchanged()) this.problems.push(problem);
    };
    const worded = rule.message && this.evaluateMessage(rule, subject);
    if (worded !== undefined && "stop" in worded) {
      report(invalid(at, { value: node.type }, worded.stop));
      this.budget = -1;
      return;
    }
    const detail = worded?.message ?? (message === "" ? `failed rule: ${text.trim()}` : message.trim());
    const shown = node.type === "object" || node.type === "array" ? {} : { value };
    if (reason === "FieldValueForbidden") report(forbidden(at, detail));
    else if (reason === "FieldValueRequired") report(required(at, detail));
    else if (reason === "FieldValueDuplicate") report(duplicate(at, shown));
    else report(invalid(at, shown, detail));
  }

  /** The text that a message expression makes; nothing when it fails or makes no proper message. */
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

  /** What an expression yields; `undefined` when that cost more than is left. */
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
