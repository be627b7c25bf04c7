import type { CelValue } from "../values/value.ts";
import type { CallExpr, Expr, IdentExpr, LiteralExpr, MapEntry } from "./ast.ts";
import { MacroProblem, type ComprehensionParts, type ExprFactory } from "./macro.ts";

/** Name of the accumulator of the standard macros. It is not a valid identifier in the source. */
export const accumulatorName = "@result";

/** Maximum number of nodes after macro expansion. Nested macros that use an argument twice grow exponentially. */
const nodesMax = 60_000;

/** Thrown when an expression has too many nodes after macro expansion. */
export class TooManyNodes extends Error {
  constructor() {
    super(`expression has more than ${nodesMax} nodes once its macros are expanded`);
  }
}

/** Assigns unique ids to the nodes of an expression, and limits their number. */
export class NodeIds {
  #last = 0;

  /** Returns a new id. Throws `TooManyNodes` if the limit is exceeded. */
  next(): number {
    if (this.#last >= nodesMax) throw new TooManyNodes();
    return ++this.#last;
  }

  /** The last id that was assigned. */
  get last(): number {
    return this.#last;
  }
}

/** Creates the nodes of a macro expansion, all with the offset of the macro call. */
export class PlacedFactory implements ExprFactory {
  readonly accumulator: string = accumulatorName;
  readonly #ids: NodeIds;
  readonly #offset: number;

  constructor(ids: NodeIds, offset: number) {
    this.#ids = ids;
    this.#offset = offset;
  }

  #base(): { readonly id: number; readonly offset: number } {
    return { id: this.#ids.next(), offset: this.#offset };
  }

  literal(value: CelValue): LiteralExpr {
    return { kind: "literal", ...this.#base(), value };
  }

  ident(name: string): IdentExpr {
    return { kind: "ident", ...this.#base(), name };
  }

  select(operand: Expr, field: string): Expr {
    return { kind: "select", ...this.#base(), operand, field, test: false };
  }

  presence(operand: Expr, field: string): Expr {
    return { kind: "select", ...this.#base(), operand, field, test: true };
  }

  call(name: string, ...args: Expr[]): CallExpr {
    return { kind: "call", ...this.#base(), name, target: undefined, args };
  }

  memberCall(name: string, target: Expr, ...args: Expr[]): CallExpr {
    return { kind: "call", ...this.#base(), name, target, args };
  }

  list(...elements: Expr[]): Expr {
    return { kind: "list", ...this.#base(), elements, optional: new Set() };
  }

  map(...entries: MapEntry[]): Expr {
    return { kind: "map", ...this.#base(), entries };
  }

  comprehension(parts: ComprehensionParts): Expr {
    const { variable2, accumulator = accumulatorName, ...rest } = parts;
    return { kind: "comprehension", ...this.#base(), ...rest, variable2, accumulator };
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
