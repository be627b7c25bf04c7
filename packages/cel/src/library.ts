import { once } from "@homeostat/core";
import type { CallCost } from "./cost/model.ts";
import type { CelFailure } from "./failure.ts";
import type { Expr } from "./syntax/ast.ts";
import type { MacroDeclaration } from "./syntax/macro.ts";
import type { CelType, ObjectType, OpaqueType, ValueOf } from "./types/type.ts";
import type { CelResult, CelValue } from "./values/value.ts";

/** One signature of a function, and what it does. */
export interface Overload {
  /** Unique within an environment, e.g. `string_to_int`. Cost rules go by it. */
  readonly id: string;
  /** Whether it is called as `first.name(rest)`; the receiver is the first parameter. */
  readonly member?: boolean;
  readonly params: readonly CelType[];
  readonly result: CelType;
  /**
   * Does the work. The values fit `params` when it is called (elements of lists and maps are not looked into).
   * An error is returned, not thrown. Arguments are never failures.
   */
  implement(...args: CelValue[]): CelResult;
  /** The index of a parameter that is a regular expression; one written out is checked when compiling. */
  readonly patternArgument?: number;
  /** Finds mistakes in a call that its types do not show. Asked for calls that can only mean this overload. */
  readonly check?: CallCheck;
  /** What calls of this overload cost, where the checker could tell which overload it is. */
  readonly cost?: CallCost;
}

/** A mistake in a call, and the part of it to blame; without one, the call itself. */
export interface CallProblem {
  readonly at: Expr | undefined;
  readonly message: string;
}

/** Looks for mistakes in a call. `args` begin with the receiver; `typeOf` gives the type of any part. */
export type CallCheck = (args: readonly Expr[], typeOf: (expr: Expr) => CelType) => readonly CallProblem[];

/** A function: a name and its overloads. Several libraries may add overloads to one name. */
export interface FunctionDeclaration {
  /** The name, which may hold dots: `sets.contains`. */
  readonly name: string;
  readonly overloads: readonly Overload[];
  /** What calls cost whichever overload it is. Asked after the cost of the overload. */
  readonly cost?: CallCost;
  /**
   * The answer when the values fit no overload, which the types can leave open. Without it, the failure names the
   * function and the types.
   */
  readonly otherwise?: (...args: CelValue[]) => CelResult;
}

/** A name that stands for a value. */
export interface ConstantDeclaration {
  readonly name: string;
  readonly type: CelType;
  readonly value: CelValue;
}

/** A set of functions, macros, types and constants that an environment can be given. */
export interface Library {
  readonly name: string;
  readonly functions?: readonly FunctionDeclaration[];
  readonly macros?: readonly MacroDeclaration[];
  /** Types whose names can be written in an expression: `type(x) == net.IP`. */
  readonly types?: readonly (OpaqueType | ObjectType)[];
  /** The object type of a name that nothing else declares, where there are too many to list them; or undefined. */
  readonly typeNamed?: (name: string) => ObjectType | undefined;
  readonly constants?: readonly ConstantDeclaration[];
  /** Further names of types, such as `list`. */
  readonly typeNames?: readonly { readonly name: string; readonly type: CelType }[];
  /** Whether the library brings the syntax of optionals along: `a.?b`, `a[?b]`, `[?x]`, `{?k: v}`. */
  readonly optionalSyntax?: boolean;
  /** Functions inside whose arguments a literal may mix types, as `format` needs it. */
  readonly mixedLiteralsIn?: readonly string[];
}

/**
 * A library whose functions are put together when an environment first asks for them, not when the module is loaded.
 *
 * It stands for the plain object, with `functions` as an array.
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
 * An overload whose implementation is typed by its signature.
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
