import type { CheckedExpr } from "../checker/checked.ts";
import type { ComprehensionExpr, Expr } from "../syntax/ast.ts";
import { accumulatorName } from "../syntax/factory.ts";
import type { CelType } from "../types/type.ts";
import { sizeOf } from "../values/size-of.ts";
import type { CostNode, Range } from "../types/cost-node.ts";
import { exactly } from "./ranges.ts";

/** Returns the size range of the value at a path from a variable (see `CostNode`); undefined if it is not known. */
export type SizeEstimator = (path: readonly string[], type: CelType) => Range | undefined;

/** Sizes of the keys and values of a list or map. The keys of a list are its indexes. */
export interface EntrySizes {
  readonly container: "list" | "map";
  readonly key: Range;
  readonly value: Range;
}

/** Known sizes of a variable of a comprehension. */
export interface LocalSizes {
  readonly name: string;
  readonly path: readonly string[];
  readonly size: Range | undefined;
  readonly entries: EntrySizes | undefined;
}

/** Paths and sizes of the subexpressions that were visited during cost estimation. */
export class SizeTable {
  readonly #checked: CheckedExpr;
  readonly #estimator: SizeEstimator;
  readonly #paths: Map<number, readonly string[]> = new Map();
  readonly #sizes: Map<number, Range> = new Map();
  readonly #entries: Map<number, EntrySizes> = new Map();
  readonly #locals: LocalSizes[] = [];

  constructor(checked: CheckedExpr, estimator: SizeEstimator) {
    this.#checked = checked;
    this.#estimator = estimator;
  }

  // Variables

  /** Returns the known sizes of a variable of an enclosing comprehension. */
  local(name: string): LocalSizes | undefined {
    return this.#locals.findLast((candidate) => candidate.name === name);
  }

  /** Calls `run` in a scope with additional variables. */
  within<T>(locals: readonly LocalSizes[], run: () => T): T {
    this.#locals.push(...locals);
    const result = run();
    this.#locals.splice(this.#locals.length - locals.length);
    return result;
  }

  /** Returns the accumulator of a comprehension. */
  accumulator({ accumulator, initial }: ComprehensionExpr): readonly LocalSizes[] {
    return [
      { name: accumulator, path: this.pathOf(initial), size: this.sizeOf(initial), entries: this.entriesOf(initial) },
    ];
  }

  /** Returns the iteration variables of a comprehension. */
  iterationVariables({ range, variable, variable2 }: ComprehensionExpr): readonly LocalSizes[] {
    const entries = this.entriesOf(range);
    const isList = (entries?.container ?? this.#checked.typeOf(range).kind) === "list";
    const local = (name: string, step: string, size: Range | undefined): LocalSizes => ({
      name,
      path: [...this.pathOf(range), step],
      size,
      entries: undefined,
    });
    const value = (name: string): LocalSizes => local(name, isList ? "@items" : "@values", entries?.value);
    const key = (name: string): LocalSizes => local(name, isList ? "@indices" : "@keys", entries?.key);
    if (variable2 !== undefined) return [key(variable), value(variable2)];
    return [isList ? value(variable) : key(variable)];
  }

  // Paths

  setPath(expr: Expr, path: readonly string[]): void {
    this.#paths.set(expr.id, path);
  }

  /** Returns the path of a subexpression from a variable; empty if it is computed. */
  pathOf(expr: Expr): readonly string[] {
    const local = expr.kind === "ident" ? this.local(expr.name) : undefined;
    return local?.path ?? this.#paths.get(expr.id) ?? [];
  }

  // Sizes

  setSize(expr: Expr, size: Range | undefined): void {
    if (size !== undefined) this.#sizes.set(expr.id, size);
  }

  setEntries(expr: Expr, entries: EntrySizes | undefined): void {
    if (entries !== undefined) this.#entries.set(expr.id, entries);
  }

  /** Sets the sizes of a subexpression to those of another. */
  copy(to: Expr, from: Expr): void {
    this.setSize(to, this.sizeOf(from));
    this.setEntries(to, this.entriesOf(from));
  }

  /** Returns the size of a subexpression: computed, of a literal, from the estimator, of its type, or of its variable, in that order. */
  sizeOf(expr: Expr): Range | undefined {
    const computed = this.#sizes.get(expr.id) ?? writtenSize(expr);
    if (computed !== undefined) return computed;
    const type = this.#checked.typeOf(expr);
    const estimated = this.estimated(this.pathOf(expr), type);
    if (estimated !== undefined) {
      this.#sizes.set(expr.id, estimated);
      return estimated;
    }
    if (isScalar(type)) return exactly(1);
    return expr.kind === "ident" ? this.local(expr.name)?.size : undefined;
  }

  /** Returns the size of a path according to the estimator. */
  estimated(path: readonly string[] | undefined, type: CelType): Range | undefined {
    return path === undefined || path.length === 0 ? undefined : this.#estimator(path, type);
  }

  /** Returns the sizes of the keys and values of a subexpression. */
  entriesOf(expr: Expr): EntrySizes | undefined {
    return this.#entries.get(expr.id) ?? (expr.kind === "ident" ? this.local(expr.name)?.entries : undefined);
  }

  /** Returns a subexpression as cost functions of libraries see it. */
  node(expr: Expr): CostNode {
    const path = this.pathOf(expr);
    const isAccumulator = path[0] === accumulatorName || path[0] === "__result__";
    return {
      path: path.length === 0 || isAccumulator ? undefined : path,
      type: this.#checked.typeOf(expr),
      literal: expr.kind === "literal" ? expr.value : undefined,
      computedSize: this.sizeOf(expr),
    };
  }
}

function writtenSize(expr: Expr): Range | undefined {
  if (expr.kind === "literal") return exactly(sizeOf(expr.value));
  if (expr.kind === "list") return exactly(expr.elements.length);
  return expr.kind === "map" ? exactly(expr.entries.length) : undefined;
}

/** Reports whether all values of a type have the same size. */
function isScalar(type: CelType): boolean {
  switch (type.kind) {
    case "bool":
    case "double":
    case "duration":
    case "int":
    case "timestamp":
    case "uint":
      return true;
    case "optional":
      return isScalar(type.element);
    case "dyn":
    case "null":
    case "string":
    case "bytes":
    case "type":
    case "list":
    case "map":
    case "opaque":
    case "object":
    case "parameter":
  }
  return false;
}
