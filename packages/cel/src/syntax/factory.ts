import type { CelValue } from "../values/value.ts";
import type { CallExpr, Expr, IdentExpr, LiteralExpr, MapEntry } from "./ast.ts";
import { MacroProblem, type ComprehensionParts, type ExprFactory } from "./macro.ts";

/** The accumulator of the standard macros. No expression can write this name. */
export const accumulatorName = "@result";

/** The most nodes an expression may have once its macros are expanded; a macro can double what it is given. */
const nodesMax = 60_000;

/** Thrown when an expression has more nodes than the engine takes on. */
export class TooManyNodes extends Error {
  constructor() {
    super(`expression has more than ${nodesMax} nodes once its macros are expanded`);
  }
}

/** Counts the nodes of one expression, so that each has an id of its own. */
export class NodeIds {
  #last = 0;

  /** An id that no other node has. Throws when there are too many. */
  next(): number {
    if (this.#last >= nodesMax) throw new TooManyNodes();
    return ++this.#last;
  }

  /** The highest id given out. */
  get last(): number {
    return this.#last;
  }
}

/** Makes the nodes of a macro's expansion, all at the place of the macro call. */
export class PlacedFactory implements ExprFactory {
  readonly accumulator: string = accumulatorName;
  readonly #ids: NodeIds;
  readonly #offset: number;

  constructor(ids: NodeIds, offset: number) {
    this.#ids = ids;
    this.#offset = offset;
  }

  #place(): { readonly id: number; readonly offset: number } {
    return { id: this.#ids.next(), offset: this.#offset };
  }

  literal(value: CelValue): LiteralExpr {
    return { kind: "literal", ...this.#place(), value };
  }

  ident(name: string): IdentExpr {
    return { kind: "ident", ...this.#place(), name };
  }

  select(operand: Expr, field: string): Expr {
    return { kind: "select", ...this.#place(), operand, field, test: false };
  }

  presence(operand: Expr, field: string): Expr {
    return { kind: "select", ...this.#place(), operand, field, test: true };
  }

  call(name: string, ...args: Expr[]): CallExpr {
    return { kind: "call", ...this.#place(), name, target: undefined, args };
  }

  memberCall(name: string, target: Expr, ...args: Expr[]): CallExpr {
    return { kind: "call", ...this.#place(), name, target, args };
  }

  list(...elements: Expr[]): Expr {
    return { kind: "list", ...this.#place(), elements, optional: new Set() };
  }

  map(...entries: MapEntry[]): Expr {
    return { kind: "map", ...this.#place(), entries };
  }

  comprehension(parts: ComprehensionParts): Expr {
    const { variable2, accumulator = accumulatorName, ...rest } = parts;
    return { kind: "comprehension", ...this.#place(), ...rest, variable2, accumulator };
  }

  copy(expr: Expr): Expr {
    const again = (part: Expr): Expr => this.copy(part);
    const id = this.#ids.next();
    switch (expr.kind) {
      case "literal":
      case "ident":
        return { ...expr, id };
      case "select":
        return { ...expr, id, operand: again(expr.operand) };
      case "call":
        return { ...expr, id, target: expr.target && again(expr.target), args: expr.args.map(again) };
      case "list":
        return { ...expr, id, elements: expr.elements.map(again) };
      case "map": {
        const entries = expr.entries.map((entry) => ({
          ...entry,
          id: this.#ids.next(),
          key: again(entry.key),
          value: again(entry.value),
        }));
        return { ...expr, id, entries };
      }
      case "struct": {
        const fields = expr.fields.map((field) => ({ ...field, id: this.#ids.next(), value: again(field.value) }));
        return { ...expr, id, fields };
      }
      case "comprehension":
    }
    return {
      ...expr,
      id,
      range: again(expr.range),
      initial: again(expr.initial),
      condition: again(expr.condition),
      step: again(expr.step),
      result: again(expr.result),
    };
  }

  problem(at: Expr, message: string): MacroProblem {
    return new MacroProblem(at, message);
  }
}
