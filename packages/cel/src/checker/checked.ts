import type { FunctionEntry } from "../declarations.ts";
import type { Overload } from "../library.ts";
import type { Expr } from "../syntax/ast.ts";
import { dynType, type CelType } from "../types/type.ts";
import type { CelValue } from "../values/value.ts";

/** The declaration that a node refers to. */
export type Reference =
  /** A variable, by its full name. */
  | { readonly kind: "variable"; readonly name: string }
  /** A constant or a type. */
  | { readonly kind: "constant"; readonly value: CelValue }
  /** A function call. If several overloads are possible, the arguments decide at run time. */
  | {
      readonly kind: "function";
      readonly entry: FunctionEntry;
      readonly overloads: readonly Overload[];
      /** True if the apparent receiver is part of the function name, as in `sets.contains(a, b)`. */
      readonly namespaced: boolean;
    };

/** A parsed expression with the type of every node and the declaration of every name. */
export class CheckedExpr {
  readonly expr: Expr;
  readonly #types: ReadonlyMap<number, CelType>;
  readonly #references: ReadonlyMap<number, Reference>;

  constructor(expr: Expr, types: ReadonlyMap<number, CelType>, references: ReadonlyMap<number, Reference>) {
    this.expr = expr;
    this.#types = types;
    this.#references = references;
  }

  /** Returns the type of a node. */
  typeOf(node: Expr): CelType {
    return this.#types.get(node.id) ?? dynType;
  }

  /** Returns the declaration that a name or call refers to. */
  referenceOf(node: Expr): Reference | undefined {
    return this.#references.get(node.id);
  }

  /** Returns all references of the expression. */
  references(): Iterable<Reference> {
    return this.#references.values();
  }
}
