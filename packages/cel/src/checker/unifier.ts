import {
  dynType,
  listType,
  mapType,
  nullType,
  optionalType,
  sameType,
  typeOfType,
  typeParameter,
} from "../types/type.ts";
import type { CelType, ParameterType } from "../types/type.ts";

/** Maximum number of type comparison steps per expression. Nested types can grow exponentially. */
const stepsMax = 500_000;

/** Thrown when type inference of an expression takes too many steps. */
export class TooComplex extends Error {
  constructor() {
    super("the types of this expression are too complex to check");
  }
}

/** The type of an invalid subexpression. It is assignable to and from every type, so that one problem is not reported twice. */
export const errorType: CelType = { kind: "dyn" };

/**
 * Infers type variables by unification.
 *
 * A binding is widened if a more general type is found: `[1, dyn(1)]` is a list of dyn. A failed attempt leaves the bindings
 * unchanged, so that the checker can try one overload after the other.
 */
export class Unifier {
  readonly #bindings: Map<string, CelType> = new Map();
  /** Undo log for failed attempts: variables with their previous bindings. */
  readonly #trail: { readonly name: string; readonly before: CelType | undefined }[] = [];
  #variables = 0;
  #steps = 0;

  /** Returns a new, unbound type variable. */
  fresh(): ParameterType {
    return typeParameter(`_var${this.#variables++}`);
  }

  /** Reports whether a value of type `from` is assignable to `to`. Binds variables if it is. */
  isAssignable(to: CelType, from: CelType): boolean {
    return this.areAssignable([to], [from]);
  }

  /** Reports whether each type is assignable to its counterpart. Binds variables if all are. */
  areAssignable(to: readonly CelType[], from: readonly CelType[]): boolean {
    const mark = this.#trail.length;
    if (this.#allFit(to, from)) return true;
    for (const { name, before } of this.#trail.splice(mark).reverse()) {
      if (before === undefined) this.#bindings.delete(name);
      else this.#bindings.set(name, before);
    }
    return false;
  }

  /** Replaces variables in a type by their bindings; with `unboundToDyn`, unbound variables by dyn. */
  resolve(type: CelType, options: { readonly unboundToDyn?: boolean } = {}): CelType {
    this.#step();
    const again = (part: CelType): CelType => this.resolve(part, options);
    switch (type.kind) {
      case "parameter": {
        const bound = this.#bindings.get(type.name);
        if (bound !== undefined) return again(bound);
        return options.unboundToDyn === true ? dynType : type;
      }
      case "list":
        return listType(again(type.element));
      case "map":
        return mapType(again(type.key), again(type.value));
      case "optional":
        return optionalType(again(type.element));
      case "type":
        return type.of === undefined ? type : typeOfType(again(type.of));
      case "opaque":
        return type.params.length === 0 ? type : { ...type, params: type.params.map(again) };
      case "dyn":
      case "null":
      case "bool":
      case "int":
      case "uint":
      case "double":
      case "string":
      case "bytes":
      case "timestamp":
      case "duration":
      case "object":
    }
    return type;
  }

  #step(): void {
    if (++this.#steps > stepsMax) throw new TooComplex();
  }

  #bind(variable: ParameterType, type: CelType): void {
    this.#trail.push({ name: variable.name, before: this.#bindings.get(variable.name) });
    this.#bindings.set(variable.name, type);
  }

  #allFit(to: readonly CelType[], from: readonly CelType[]): boolean {
    return to.length === from.length && to.every((type, index) => this.#fits(type, from[index] ?? dynType));
  }

  #fits(to: CelType, from: CelType): boolean {
    this.#step();
    if (from.kind === "parameter") {
      const { valid, known } = this.#fitsVariable(to, from);
      if (valid) return true;
      if (known) return false;
    }
    if (to.kind === "parameter") return this.#fitsVariable(from, to).valid;
    if (to.kind === "dyn" || from.kind === "dyn") return true;
    if (to.kind === "null" || from.kind === "null") return isNullable(to.kind === "null" ? from : to);
    switch (to.kind) {
      case "list":
      case "optional":
        return from.kind === to.kind && this.#fits(to.element, from.element);
      case "map":
        return from.kind === "map" && this.#fits(to.key, from.key) && this.#fits(to.value, from.value);
      case "opaque":
        return from.kind === "opaque" && from.name === to.name && this.#allFit(to.params, from.params);
      case "object":
        return from.kind === "object" && from.name === to.name;
      case "type":
      case "bool":
      case "int":
      case "uint":
      case "double":
      case "string":
      case "bytes":
      case "timestamp":
      case "duration":
    }
    return from.kind === to.kind;
  }

  /** Unifies a variable with a type. `known` tells whether the variable was already bound. */
  #fitsVariable(type: CelType, variable: ParameterType): { valid: boolean; known: boolean } {
    if (type.kind === "parameter" && type.name === variable.name) return { valid: true, known: true };
    const bound = this.#bindings.get(variable.name);
    if (bound === undefined) {
      const valid = !this.#occursIn(variable, type);
      if (valid) this.#bind(variable, type);
      return { valid, known: false };
    }
    if (sameType(type, bound)) return { valid: true, known: true };
    if (!this.#fits(type, bound)) return { valid: false, known: true };
    const wider = moreGeneral(type, bound);
    if (!this.#occursIn(variable, wider)) this.#bind(variable, wider);
    return { valid: true, known: true };
  }

  /** Reports whether a type contains a variable. Binding the variable to it would create an infinite type. */
  #occursIn(variable: ParameterType, type: CelType): boolean {
    this.#step();
    if (type.kind === "parameter") {
      if (type.name === variable.name) return true;
      const bound = this.#bindings.get(type.name);
      return bound !== undefined && this.#occursIn(variable, bound);
    }
    return partsOf(type).some((part) => this.#occursIn(variable, part));
  }
}

/** Returns the more general of two types that are assignable to each other. */
export function moreGeneral(left: CelType, right: CelType): CelType {
  return isNoMoreSpecific(left, right) ? left : right;
}

function isNoMoreSpecific(left: CelType, right: CelType): boolean {
  if (left === errorType || right === errorType) return left === right;
  if (left.kind === "dyn" || left.kind === "parameter") return true;
  if (right.kind === "dyn" || right.kind === "parameter" || left.kind !== right.kind) return false;
  if (left.kind === "type") return true;
  const [leftParts, rightParts] = [partsOf(left), partsOf(right)];
  if (leftParts.length === 0 || leftParts.length !== rightParts.length) return sameType(left, right);
  return leftParts.every((part, index) => isNoMoreSpecific(part, rightParts[index] ?? dynType));
}

function partsOf(type: CelType): readonly CelType[] {
  if (type.kind === "list" || type.kind === "optional") return [type.element];
  if (type.kind === "map") return [type.key, type.value];
  if (type.kind === "opaque") return type.params;
  return type.kind === "type" && type.of !== undefined ? [type.of] : [];
}

/** Reports whether `null` is assignable to a type, as in `self.start == null`. */
function isNullable(type: CelType): boolean {
  switch (type.kind) {
    case "optional":
    case "opaque":
    case "object":
    case "timestamp":
    case "duration":
      return true;
    default:
      return type.kind === nullType.kind;
  }
}
