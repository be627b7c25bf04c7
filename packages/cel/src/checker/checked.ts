import type { FunctionEntry } from "../declarations.ts";
import type { Overload } from "../library.ts";
import type { Expr } from "../syntax/ast.ts";
import { dynType, type CelType } from "../types/type.ts";
import type { CelValue } from "../values/value.ts";

/** What the checker found out about one node. */
export type Reference =
  /** A variable, under its full name. */
  | { readonly kind: "variable"; readonly name: string }
  /** A constant or the name of a type. */
  | { readonly kind: "constant"; readonly value: CelValue }
  /** A call. With several overloads the values decide at run time. */
  | {
      readonly kind: "function";
      readonly entry: FunctionEntry;
      readonly overloads: readonly Overload[];
      /** Whether what looked like a receiver is part of the name: `sets.contains(a, b)`. */
      readonly namespaced: boolean;
    };

/** A parsed expression with the type of every node and the meaning of every name. */
export class CheckedExpr {
  readonly expr: Expr;
  readonly #types: ReadonlyMap<number, CelType>;
  readonly #references: ReadonlyMap<number, Reference>;

  constructor(expr: Expr, types: ReadonlyMap<number, CelType>, references: ReadonlyMap<number, Reference>) {
    this.expr = expr;
    this.#types = types;
    this.#references = references;
  }

  /** The type of a node. */
  typeOf(node: Expr): CelType {
    return this.#types.get(node.id) ?? dynType;
  }

  /** What a name or call refers to. */
  referenceOf(node: Expr): Reference | undefined {
    return this.#references.get(node.id);
  }

  /** Every reference of the expression. */
  references(): Iterable<Reference> {
    return this.#references.values();
  }
}
