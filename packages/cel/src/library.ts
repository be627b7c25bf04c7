import { once } from "@homeostat/core";
import type { CallCost } from "./cost/model.ts";
import type { CelFailure } from "./failure.ts";
import type { Expr } from "./syntax/ast.ts";
import type { MacroDeclaration } from "./syntax/macro.ts";
import type { CelType, ObjectType, OpaqueType, ValueOf } from "./types/type.ts";
import type { CelResult, CelValue } from "./values/value.ts";

/** A signature of a function with its implementation. */
export interface Overload {
  /** Unique within an environment, such as `string_to_int`. Cost rules refer to it. */
  readonly id: string;
  /** True if it is called as `receiver.name(args)`. The receiver is the first parameter. */
  readonly member?: boolean;
  readonly params: readonly CelType[];
  readonly result: CelType;
  /**
   * Implements the call. The arguments have the types of `params` (of lists and maps only the first element is checked) and are
   * never failures. Returns errors instead of throwing them.
   */
  implement(...args: CelValue[]): CelResult;
  /** Index of a parameter that is a regular expression. A constant argument is checked at compile time. */
  readonly patternArgument?: number;
  /** Finds problems in a call beyond its types. Called if the checker resolved the call to this overload only. */
  readonly check?: CallCheck;
  /** Cost of calls that the checker resolved to this overload. */
  readonly cost?: CallCost;
}

/** A problem of a call. `at` is the argument that causes it; undefined for the call itself. */
export interface CallProblem {
  readonly at: Expr | undefined;
  readonly message: string;
}

/** Checks a call. `args` starts with the receiver; `typeOf` returns the type of any subexpression. */
export type CallCheck = (args: readonly Expr[], typeOf: (expr: Expr) => CelType) => readonly CallProblem[];

/** A function: a name and its overloads. Several libraries may add overloads to one name. */
export interface FunctionDeclaration {
  /** The name, which may contain dots: `sets.contains`. */
  readonly name: string;
  readonly overloads: readonly Overload[];
  /** Cost of calls of any overload. Used if the overload has no cost of its own. */
  readonly cost?: CallCost;
  /**
   * Called if the arguments match no overload, which is possible for arguments of type dyn. Without it, the call fails with a
   * message that names the function and the types.
   */
  readonly otherwise?: (...args: CelValue[]) => CelResult;
}

/** A named constant. */
export interface ConstantDeclaration {
  readonly name: string;
  readonly type: CelType;
  readonly value: CelValue;
}

/** A set of functions, macros, types and constants for an environment. */
export interface Library {
  readonly name: string;
  readonly functions?: readonly FunctionDeclaration[];
  readonly macros?: readonly MacroDeclaration[];
  /** Types whose names can be used in expressions: `type(x) == net.IP`. */
  readonly types?: readonly (OpaqueType | ObjectType)[];
  /** Returns the object type of a name that is not declared otherwise, for libraries with too many types to list. */
  readonly typeNamed?: (name: string) => ObjectType | undefined;
  readonly constants?: readonly ConstantDeclaration[];
  /** Additional names of types, such as `list`. */
  readonly typeNames?: readonly { readonly name: string; readonly type: CelType }[];
  /** True if the library enables the syntax of optionals: `a.?b`, `a[?b]`, `[?x]`, `{?k: v}`. */
  readonly optionalSyntax?: boolean;
  /** Functions whose arguments may contain literals with elements of different types, such as `format`. */
  readonly mixedLiteralsIn?: readonly string[];
}

/**
 * Returns a library whose functions are created on first use instead of when the module is loaded.
 */
export function defineLibrary(
  library: Omit<Library, "functions"> & { readonly functions: () => readonly FunctionDeclaration[] },
): Library {
  const functions = once(library.functions);
  return {
    ...library,
    get functions() {
      return functions();
    },
  };
}

type ValuesOf<P extends readonly CelType[]> = { [I in keyof P]: ValueOf<P[I]> };

/**
 * Returns the overload. The types of the parameters of `implement` are inferred from `params` and `result`.
 *
 * @example
 * defineOverload({
 *   id: "string_char_at_int",
 *   member: true,
 *   params: [stringType, intType],
 *   result: stringType,
 *   implement: (text, index) => ..., // (string, bigint) => string | CelFailure
 * });
 */
export function defineOverload<const P extends readonly CelType[], R extends CelType>(overload: {
  readonly id: string;
  readonly member?: boolean;
  readonly params: P;
  readonly result: R;
  readonly implement: (...args: ValuesOf<P>) => ValueOf<R> | CelFailure;
  readonly patternArgument?: number;
  readonly check?: CallCheck;
  readonly cost?: CallCost;
}): Overload;
export function defineOverload(overload: Overload): Overload {
  return overload;
}
