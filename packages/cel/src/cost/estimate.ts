import type { CheckedExpr, Reference } from "../checker/checked.ts";
import { qualifiedName } from "../checker/names.ts";
import type { CallExpr, ComprehensionExpr, Expr, ListExpr, MapExpr, SelectExpr } from "../syntax/ast.ts";
import { dynType } from "../types/type.ts";
import { elementNode } from "./element.ts";
import type { CallEstimate, CostContext, EstimatedCall } from "./model.ts";
import type { CostNode, Range } from "../types/cost-node.ts";
import { add, exactly, multiply, unbounded, union, unknownRange } from "./ranges.ts";
import { accessCost, listCost, mapCost, objectCost } from "./rules.ts";
import { SizeTable, type EntrySizes, type SizeEstimator } from "./sizes.ts";
import { standardEstimate } from "./standard-estimate.ts";

export type { SizeEstimator } from "./sizes.ts";

// Cost estimation: one walk over the tree, with a method per kind of node. It is one class because all methods share the known
// sizes. The results must equal those of cel-go, because the API server rejects rules by them.

/** Returns bounds of the cost of any evaluation. */
export function estimateCost(checked: CheckedExpr, sizes: SizeEstimator): Range {
  return new Estimator(checked, sizes).cost(checked.expr);
}

const free: Range = exactly(0);
const emptyUnion: Range = { min: unbounded, max: 0 };

type FunctionReference = Extract<Reference, { kind: "function" }>;

class Estimator implements CostContext {
  readonly #checked: CheckedExpr;
  readonly #sizes: SizeTable;

  constructor(checked: CheckedExpr, sizes: SizeEstimator) {
    this.#checked = checked;
    this.#sizes = new SizeTable(checked, sizes);
  }

  // CostContext, for the cost functions of libraries

  size(node: CostNode): Range {
    return node.computedSize ?? this.#sizes.estimated(node.path, node.type) ?? unknownRange;
  }

  element(list: CostNode): CostNode | undefined {
    return elementNode(list);
  }

  // Nodes

  cost(expr: Expr): Range {
    const reference = this.#checked.referenceOf(expr);
    if (reference?.kind === "variable") return this.#variable(expr, reference.name);
    // The name of a type or constant costs the same as a variable.
    if (reference?.kind === "constant") return this.#variable(expr, qualifiedName(expr) ?? "");
    switch (expr.kind) {
      case "literal":
        return free;
      case "ident":
        return exactly(accessCost);
      case "select":
        return this.#select(expr);
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(expr);
      case "map":
        return this.#map(expr);
      case "struct":
        return add(sum(expr.fields.map(({ value }) => this.cost(value))), exactly(objectCost));
      case "comprehension":
    }
    return isBinding(expr) ? this.#binding(expr) : this.#comprehension(expr);
  }

  #variable(expr: Expr, name: string): Range {
    this.#sizes.setPath(expr, this.#sizes.local(name)?.path ?? [name]);
    return exactly(accessCost);
  }

  #select(expr: SelectExpr): Range {
    const operand = this.cost(expr.operand);
    // A presence test is free, but its operand is not.
    if (expr.test) return operand;
    this.#sizes.setPath(expr, [...this.#sizes.pathOf(expr.operand), expr.field]);
    const { kind } = this.#checked.typeOf(expr.operand);
    return kind === "map" || kind === "object" ? add(operand, exactly(accessCost)) : operand;
  }

  #list(expr: ListExpr): Range {
    const costs = expr.elements.map((element) => this.cost(element));
    const value = this.#sizesOf(expr.elements);
    this.#sizes.setEntries(expr, { container: "list", key: exactly(1), value });
    return add(sum(costs), exactly(listCost));
  }

  #map(expr: MapExpr): Range {
    const costs = expr.entries.map(({ key, value }) => add(this.cost(key), this.cost(value)));
    const key = this.#sizesOf(expr.entries.map((entry) => entry.key));
    const value = this.#sizesOf(expr.entries.map((entry) => entry.value));
    this.#sizes.setEntries(expr, { container: "map", key, value });
    return add(sum(costs), exactly(mapCost));
  }

  /** Returns a range that includes the sizes of all given parts. */
  #sizesOf(parts: readonly Expr[]): Range {
    if (parts.length === 0) return free;
    return parts.map((part) => this.#sizes.sizeOf(part) ?? unknownRange).reduce(union, emptyUnion);
  }

  // Comprehensions

  #comprehension(expr: ComprehensionExpr): Range {
    const before = add(this.cost(expr.range), this.cost(expr.initial));
    const round = this.#sizes.within(this.#sizes.accumulator(expr), () => {
      const each = this.#sizes.within(this.#sizes.iterationVariables(expr), () =>
        add(this.cost(expr.condition), this.cost(expr.step)),
      );
      return { each, result: this.cost(expr.result) };
    });
    const count = this.#sizes.sizeOf(expr.range) ?? unknownRange;
    if (expr.initial.kind === "literal") this.#sizes.setSize(expr, this.#sizes.sizeOf(expr.initial));
    if (expr.initial.kind === "list" || expr.initial.kind === "map") {
      this.#sizes.setSize(expr, count);
      this.#sizes.setEntries(expr, this.#sizes.entriesOf(expr.step));
    }
    return add(add(before, round.result), multiply(count, round.each));
  }

  /** Estimates a fold over an empty list, which only binds a value to a name. */
  #binding(expr: ComprehensionExpr): Range {
    const before = add(this.cost(expr.range), this.cost(expr.initial));
    const result = this.#sizes.within(this.#sizes.accumulator(expr), () => this.cost(expr.result));
    this.#sizes.copy(expr, expr.result);
    return add(before, result);
  }

  // Calls

  #call(expr: CallExpr): Range {
    const reference = this.#checked.referenceOf(expr);
    if (reference?.kind !== "function") return free;
    const [first] = expr.args;
    if (reference.entry.name === "dyn" && first !== undefined) {
      const cost = add(exactly(1), this.cost(first));
      this.#sizes.copy(expr, first);
      return cost;
    }
    const costs = expr.args.map((arg) => this.cost(arg));
    const args = expr.args.map((arg) => this.#sizes.node(arg));
    const receiver = reference.namespaced ? undefined : expr.target;
    const targetCost = receiver === undefined ? free : this.cost(receiver);
    const target = receiver && this.#sizes.node(receiver);
    let cost: Range = emptyUnion;
    let size: Range | undefined;
    for (const { id } of reference.overloads) {
      const estimate = this.#estimate(expr, reference, { overload: id, target, args }, costs);
      cost = union(cost, estimate.cost);
      if (estimate.resultSize !== undefined)
        size = size === undefined ? estimate.resultSize : union(size, estimate.resultSize);
      if (first !== undefined && (id === "index_list" || id === "index_map")) {
        size = this.#sizes.entriesOf(first)?.value;
        this.#sizes.setPath(expr, [...this.#sizes.pathOf(first), id === "index_list" ? "@items" : "@values"]);
      }
      size ??= this.#sizes.sizeOf(expr);
    }
    this.#sizes.setSize(expr, size);
    return add(targetCost, cost);
  }

  /** Estimates a call of one overload, including its arguments. */
  #estimate(
    expr: CallExpr,
    reference: FunctionReference,
    call: EstimatedCall,
    argCosts: readonly Range[],
  ): CallEstimate {
    const known = this.#hooked(reference, call);
    if (known !== undefined) return { ...known, cost: add(known.cost, sum(argCosts)) };
    const [first = free, second = free, third = free] = argCosts;
    if (call.overload === "logical_and" || call.overload === "logical_or") {
      return { cost: { min: first.min, max: sum(argCosts).max } };
    }
    if (call.overload === "conditional") {
      const [, truthy = nothing, falsy = nothing] = call.args;
      this.#sizes.setEntries(expr, this.#unitedEntries(expr.args[1], expr.args[2]));
      return {
        cost: add(first, union(second, third)),
        resultSize: union(truthy.computedSize ?? unknownRange, falsy.computedSize ?? unknownRange),
      };
    }
    if (call.overload === "add_list" || call.overload === "add_string" || call.overload === "add_bytes") {
      this.#sizes.setEntries(expr, this.#unitedEntries(expr.args[0], expr.args[1]));
    }
    const standard = standardEstimate(call) ?? { cost: exactly(1) };
    return { ...standard, cost: add(standard.cost, sum(argCosts)) };
  }

  /** Returns the estimate of a library: that of the overload, else of the function, else of `==` on an opaque type. */
  #hooked({ entry, overloads }: FunctionReference, call: EstimatedCall): CallEstimate | undefined {
    const overload = overloads.find(({ id }) => id === call.overload);
    for (const hook of [overload?.cost, ...entry.costs]) {
      const estimate = hook?.estimate?.(call, this);
      if (estimate !== undefined) return estimate;
    }
    const [left, right] = call.args;
    if (entry.name !== "_==_" || left === undefined || right === undefined) return undefined;
    if (left.type.kind !== "opaque" || right.type.kind !== "opaque" || left.type.name !== right.type.name)
      return undefined;
    return { cost: left.type.estimateEquality?.(left, right) ?? exactly(1) };
  }

  #unitedEntries(left: Expr | undefined, right: Expr | undefined): EntrySizes | undefined {
    const one = left && this.#sizes.entriesOf(left);
    const two = right && this.#sizes.entriesOf(right);
    if (one === undefined || two === undefined) return undefined;
    return { container: one.container, key: union(one.key, two.key), value: union(one.value, two.value) };
  }
}

const nothing: CostNode = { path: undefined, type: dynType, literal: undefined, computedSize: undefined };

function sum(costs: readonly Range[]): Range {
  return costs.reduce(add, free);
}

function isBinding({ range, condition }: ComprehensionExpr): boolean {
  return (
    range.kind === "list" && range.elements.length === 0 && condition.kind === "literal" && condition.value === false
  );
}
