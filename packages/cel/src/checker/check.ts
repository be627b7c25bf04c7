import type { Declarations, FunctionEntry } from "../declarations.ts";
import type { Overload } from "../library.ts";
import type {
  CallExpr,
  ComprehensionExpr,
  Expr,
  IdentExpr,
  ListExpr,
  LiteralExpr,
  MapExpr,
  SelectExpr,
  StructExpr,
} from "../syntax/ast.ts";
import type { Problem } from "../syntax/source.ts";
import { formatType } from "../types/format.ts";
import { runtimeName } from "../types/runtime-name.ts";
import {
  boolType,
  bytesType,
  doubleType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  optionalType,
  sameType,
  stringType,
  uintType,
  type CelType,
} from "../types/type.ts";
import { CelUint, type CelValue } from "../values/value.ts";
import { CheckedExpr, type Reference } from "./checked.ts";
import { Names, qualifiedName } from "./names.ts";
import { instantiate } from "./signature.ts";
import { errorType, moreGeneral, TooComplex, Unifier } from "./unifier.ts";

// The type checker: one walk over the tree, with a method per kind of node. It is one class because all methods share the type
// variables.

/** The checked expression, or all its problems. */
export type CheckResult =
  | { readonly checked: CheckedExpr; readonly problems?: undefined }
  | { readonly checked?: undefined; readonly problems: readonly Problem[] };

/** Type-checks an expression: determines the type of every node and resolves every name. */
export function check(expr: Expr, declarations: Declarations): CheckResult {
  return new Checker(declarations).run(expr);
}

class Checker {
  readonly #declarations: Declarations;
  readonly #names: Names;
  readonly #unifier: Unifier = new Unifier();
  readonly #types: Map<number, CelType> = new Map();
  readonly #references: Map<number, Reference> = new Map();
  readonly #problems: Problem[] = [];

  constructor(declarations: Declarations) {
    this.#declarations = declarations;
    this.#names = new Names(declarations);
  }

  run(expr: Expr): CheckResult {
    try {
      this.#check(expr);
      if (this.#problems.length > 0) return { problems: this.#problems };
      for (const [id, type] of this.#types) this.#types.set(id, this.#unifier.resolve(type, { unboundToDyn: true }));
      return { checked: new CheckedExpr(expr, this.#types, this.#references) };
    } catch (error) {
      if (!(error instanceof TooComplex)) throw error;
      return { problems: [...this.#problems, { offset: expr.offset, message: error.message }] };
    }
  }

  #check(expr: Expr): CelType {
    const type = this.#typeOf(expr);
    this.#types.set(expr.id, type);
    return type;
  }

  #typeOf(expr: Expr): CelType {
    switch (expr.kind) {
      case "literal":
        return literalType(expr);
      case "ident":
        return this.#ident(expr);
      case "select":
        return this.#select(expr);
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(expr);
      case "map":
        return this.#map(expr);
      case "struct":
        return this.#struct(expr);
      case "comprehension":
    }
    return this.#comprehension(expr);
  }

  // Names and fields

  #ident(expr: IdentExpr): CelType {
    return this.#named(expr, expr.name) ?? this.#undeclared(expr, expr.name);
  }

  #named(expr: Expr, name: string): CelType | undefined {
    const resolved = this.#names.find(name);
    if (resolved === undefined) return undefined;
    const { name: fullName, type, value } = resolved;
    this.#references.set(
      expr.id,
      value === undefined ? { kind: "variable", name: fullName } : { kind: "constant", value },
    );
    return type;
  }

  #select(expr: SelectExpr): CelType {
    const name = qualifiedName(expr);
    const named = name === undefined ? undefined : this.#named(expr, name);
    if (named !== undefined) return named;
    const type = this.#field(expr, expr.operand, expr.field, false);
    return expr.test ? boolType : type;
  }

  /** Returns the type of a field. A field of an optional is optional itself. */
  #field(at: Expr, operand: Expr, field: string, optional: boolean): CelType {
    const operandType = this.#unifier.resolve(this.#check(operand));
    const target = operandType.kind === "optional" ? operandType.element : operandType;
    const type = this.#unifier.resolve(this.#fieldOf(at, target, field));
    return optional || operandType.kind === "optional" ? optionalType(type) : type;
  }

  #fieldOf(at: Expr, target: CelType, field: string): CelType {
    if (target.kind === "map") return target.value;
    if (target.kind === "object") {
      return target.fields.get(field) ?? this.#problem(at, `undefined field '${field}'`);
    }
    if (target.kind === "parameter") this.#unifier.isAssignable(dynType, target);
    else if (target.kind !== "dyn") this.#problem(at, `type '${format(target)}' does not support field selection`);
    return dynType;
  }

  // Calls

  #call(expr: CallExpr): CelType {
    if (expr.name === "_?._") return this.#optionalSelect(expr);
    const { target } = expr;
    for (const arg of expr.args) this.#check(arg);
    if (target === undefined) {
      const entry = this.#names.findFunction(expr.name);
      if (entry === undefined) return this.#undeclared(expr, expr.name);
      return this.#resolve(expr, entry, expr.args, false);
    }
    const prefix = qualifiedName(target);
    const namespaced = prefix === undefined ? undefined : this.#names.findFunction(`${prefix}.${expr.name}`);
    if (namespaced !== undefined) return this.#resolve(expr, namespaced, expr.args, true);
    this.#check(target);
    const entry = this.#names.findFunction(expr.name);
    if (entry === undefined) return this.#undeclared(expr, expr.name);
    return this.#resolve(expr, entry, [target, ...expr.args], false);
  }

  #optionalSelect(expr: CallExpr): CelType {
    const [operand, field] = expr.args;
    const entry = this.#declarations.functions.get(expr.name);
    if (operand === undefined || field?.kind !== "literal" || typeof field.value !== "string" || entry === undefined) {
      return this.#problem(expr, "unsupported optional field selection");
    }
    this.#types.set(field.id, stringType);
    this.#references.set(expr.id, { kind: "function", entry, overloads: entry.overloads, namespaced: false });
    return this.#field(expr, operand, field.value, true);
  }

  #resolve(expr: CallExpr, entry: FunctionEntry, args: readonly Expr[], namespaced: boolean): CelType {
    if (entry.name === "_&&_" || entry.name === "_||_") return this.#logic(expr, entry);
    const member = expr.target !== undefined && !namespaced;
    const argTypes = args.map((arg) => this.#recorded(arg));
    const matching: Overload[] = [];
    let result: CelType | undefined;
    for (const overload of entry.overloads) {
      if ((overload.member ?? false) !== member || overload.params.length !== args.length) continue;
      const signature = instantiate(overload, this.#unifier);
      if (!this.#unifier.areAssignable(argTypes, signature.params)) continue;
      matching.push(overload);
      const type = this.#unifier.resolve(signature.result);
      if (result === undefined) result = type;
      else if (result.kind !== "dyn" && !sameType(type, result)) result = dynType;
    }
    if (result === undefined) {
      const shown = argTypes.map((type) => format(this.#unifier.resolve(type, { unboundToDyn: true })));
      const signature = member ? `${shown[0] ?? ""}.(${shown.slice(1).join(", ")})` : `(${shown.join(", ")})`;
      return this.#problem(expr, `found no matching overload for '${entry.name}' applied to '${signature}'`);
    }
    this.#references.set(expr.id, { kind: "function", entry, overloads: matching, namespaced });
    return result;
  }

  /** Checks `&&` and `||`, which have any number of arguments. */
  #logic(expr: CallExpr, entry: FunctionEntry): CelType {
    let valid = true;
    for (const arg of expr.args) {
      const type = this.#recorded(arg);
      if (this.#unifier.isAssignable(type, boolType)) continue;
      this.#mismatch(arg, boolType, type);
      valid = false;
    }
    if (!valid) return errorType;
    this.#references.set(expr.id, { kind: "function", entry, overloads: entry.overloads, namespaced: false });
    return boolType;
  }

  // Literals of collections and objects

  #list(expr: ListExpr): CelType {
    let element: CelType | undefined;
    for (const [index, part] of expr.elements.entries()) {
      const type = this.#check(part);
      element = this.#join(element, expr.optional.has(index) ? this.#unwrap(part, type) : type);
    }
    return listType(element ?? this.#unifier.fresh());
  }

  #map(expr: MapExpr): CelType {
    let key: CelType | undefined;
    let value: CelType | undefined;
    for (const entry of expr.entries) {
      key = this.#join(key, this.#check(entry.key));
      const type = this.#check(entry.value);
      value = this.#join(value, entry.optional ? this.#unwrap(entry.value, type) : type);
    }
    return mapType(key ?? this.#unifier.fresh(), value ?? this.#unifier.fresh());
  }

  /** Returns the element type of an optional part `?x`. */
  #unwrap(part: Expr, type: CelType): CelType {
    if (type.kind === "optional") return type.element;
    if (type.kind !== "dyn" || type === errorType) this.#mismatch(part, optionalType(type), type);
    return type;
  }

  /** Returns the common type of the parts of a literal. Mixed types are dyn here; `validate` rejects them later. */
  #join(previous: CelType | undefined, type: CelType): CelType {
    if (previous === undefined || sameType(previous, type)) return type;
    if (this.#unifier.isAssignable(previous, type)) return moreGeneral(previous, type);
    return dynType;
  }

  #struct(expr: StructExpr): CelType {
    const resolved = this.#names.find(expr.name);
    if (resolved === undefined) return this.#undeclared(expr, expr.name);
    if (resolved.type.kind !== "type") return this.#problem(expr, `'${runtimeName(resolved.type)}' is not a type`);
    const type = resolved.type.of ?? dynType;
    const isObject = type.kind === "object";
    if (!isObject) this.#problem(expr, `'${runtimeName(type)}' is not a message type`);
    for (const { field, value, optional, offset } of expr.fields) {
      const checked = this.#check(value);
      const given = optional ? this.#unwrap(value, checked) : checked;
      if (!isObject) continue;
      const declared = type.fields.get(field);
      if (declared === undefined) this.#problems.push({ offset, message: `undefined field '${field}'` });
      else if (!this.#unifier.isAssignable(declared, given)) {
        const message = `expected type of field '${field}' is '${format(declared)}' but provided type is '${format(given)}'`;
        this.#problems.push({ offset, message });
      }
    }
    return isObject ? type : errorType;
  }

  // Comprehensions

  #comprehension(expr: ComprehensionExpr): CelType {
    const range = this.#unifier.resolve(this.#check(expr.range));
    const accumulated = this.#check(expr.initial);
    return this.#names.within(new Map([[expr.accumulator, accumulated]]), () => {
      this.#names.within(this.#iterationVariables(expr, range), () => {
        this.#assertType(expr.condition, boolType);
        this.#assertType(expr.step, accumulated);
      });
      return this.#unifier.resolve(this.#check(expr.result));
    });
  }

  #iterationVariables(expr: ComprehensionExpr, range: CelType): Map<string, CelType> {
    const types = this.#rangeTypes(expr, range);
    if (expr.variable2 === undefined) {
      return new Map([[expr.variable, range.kind === "list" ? types.value : types.key]]);
    }
    return new Map([
      [expr.variable, types.key],
      [expr.variable2, types.value],
    ]);
  }

  #rangeTypes(expr: ComprehensionExpr, range: CelType): { key: CelType; value: CelType } {
    if (range.kind === "list") return { key: intType, value: range.element };
    if (range.kind === "map") return range;
    if (range.kind === "dyn" || range.kind === "parameter") {
      this.#unifier.isAssignable(dynType, range);
      return { key: dynType, value: dynType };
    }
    const type = this.#problem(
      expr.range,
      `expression of type '${format(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
    );
    return { key: type, value: type };
  }

  #assertType(expr: Expr, expected: CelType): void {
    const type = this.#check(expr);
    if (!this.#unifier.isAssignable(expected, type)) this.#mismatch(expr, expected, type);
  }

  // Problems

  #recorded(expr: Expr): CelType {
    return this.#types.get(expr.id) ?? dynType;
  }

  #problem(at: Expr, message: string): CelType {
    this.#problems.push({ offset: at.offset, message });
    return errorType;
  }

  #mismatch(at: Expr, expected: CelType, found: CelType): CelType {
    return this.#problem(at, `expected type '${format(expected)}' but found '${format(found)}'`);
  }

  #undeclared(at: Expr, name: string): CelType {
    const { container } = this.#declarations;
    return this.#problem(at, `undeclared reference to '${name}' (in container '${container}')`);
  }
}

function format(type: CelType): string {
  return formatType(type, (part) => (part === errorType ? "!error!" : undefined));
}

function literalType({ value }: LiteralExpr): CelType {
  return value === null ? nullType : scalarType(value);
}

function scalarType(value: CelValue): CelType {
  if (typeof value === "bigint") return intType;
  if (typeof value === "number") return doubleType;
  if (typeof value === "string") return stringType;
  if (typeof value === "boolean") return boolType;
  return value instanceof CelUint ? uintType : bytesType;
}
