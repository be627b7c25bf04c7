import { candidateNames, type Declarations, type FunctionEntry } from "../declarations.ts";
import type { Expr } from "../syntax/ast.ts";
import { typeOfType, type CelType } from "../types/type.ts";
import { CelTypeValue, type CelValue } from "../values/value.ts";
import { runtimeName } from "../types/runtime-name.ts";

/** The declaration of a name. */
export interface ResolvedName {
  /** The full name. */
  readonly name: string;
  readonly type: CelType;
  /** The value of a constant or type. */
  readonly value?: CelValue;
}

/** Resolves names: first the variables of enclosing comprehensions, then the declarations of the environment. */
export class Names {
  readonly #declarations: Declarations;
  readonly #locals: Map<string, CelType>[] = [];

  constructor(declarations: Declarations) {
    this.#declarations = declarations;
  }

  /** Calls `run` in a scope with additional variables. */
  within<T>(variables: ReadonlyMap<string, CelType>, run: () => T): T {
    this.#locals.push(new Map(variables));
    try {
      return run();
    } finally {
      this.#locals.pop();
    }
  }

  /** Resolves a name. Returns undefined if it is not declared. */
  find(name: string): ResolvedName | undefined {
    for (const candidate of candidateNames(this.#declarations.container, name)) {
      const resolved = this.#exactly(candidate);
      if (resolved !== undefined) return resolved;
    }
    return undefined;
  }

  #exactly(name: string): ResolvedName | undefined {
    const local = this.#locals.findLast((scope) => scope.has(name))?.get(name);
    const variable = local ?? this.#declarations.variables.get(name);
    if (variable !== undefined) return { name, type: variable };
    const constant = this.#declarations.constants.get(name);
    if (constant !== undefined) return constant;
    const type = this.#declarations.types.get(name) ?? this.#declarations.typeNamed(name);
    return type && { name, type: typeOfType(type), value: new CelTypeValue(runtimeName(type)) };
  }

  /** Returns the function of a name; undefined if it is not declared. */
  findFunction(name: string): FunctionEntry | undefined {
    for (const candidate of candidateNames(this.#declarations.container, name)) {
      const entry = this.#declarations.functions.get(candidate);
      if (entry !== undefined) return entry;
    }
    return undefined;
  }
}

/** Returns the dotted name of an expression such as `a.b.c`; undefined if it is not a plain name. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === "ident") return expr.name;
  if (expr.kind !== "select" || expr.test) return undefined;
  const prefix = qualifiedName(expr.operand);
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`;
}
