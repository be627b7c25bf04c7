import type { CelValue } from "../values/value.ts";
import type { Expr, MapEntry } from "./ast.ts";

/** A macro: a call that is replaced by another expression after parsing, before type-checking. */
export interface MacroDeclaration {
  readonly name: string;
  /** True if it is called as `target.name(args)`. */
  readonly member: boolean;
  /** Number of arguments, without the target. */
  readonly argumentCount: number;
  /**
   * Returns the expression that replaces the call; undefined to leave it an ordinary call. `target` is defined for a member macro.
   * Throws the result of `factory.problem` to report a problem.
   */
  expand(factory: ExprFactory, args: readonly Expr[], target: Expr | undefined): Expr | undefined;
}

/** The parts of a comprehension. */
export interface ComprehensionParts {
  readonly range: Expr;
  readonly variable: string;
  readonly variable2?: string;
  /** Name of the accumulator. Defaults to `ExprFactory.accumulator`. */
  readonly accumulator?: string;
  readonly initial: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

/** Creates nodes with the offset of the macro call. */
export interface ExprFactory {
  /** Name of the default accumulator variable, which is not a valid identifier in the source. */
  readonly accumulator: string;
  literal(value: CelValue): Expr;
  ident(name: string): Expr;
  select(operand: Expr, field: string): Expr;
  /** Returns `has(operand.field)`. */
  presence(operand: Expr, field: string): Expr;
  call(name: string, ...args: Expr[]): Expr;
  memberCall(name: string, target: Expr, ...args: Expr[]): Expr;
  list(...elements: Expr[]): Expr;
  map(...entries: MapEntry[]): Expr;
  comprehension(parts: ComprehensionParts): Expr;
  /** Returns a copy with new ids, for an argument that is used twice. */
  copy(expr: Expr): Expr;
  /** Returns the error to throw for an invalid macro call; `at` is the invalid argument. */
  problem(at: Expr, message: string): MacroProblem;
}

/** Thrown by a macro and reported as an issue of the expression. */
export class MacroProblem extends Error {
  readonly at: Expr;

  constructor(at: Expr, message: string) {
    super(message);
    this.at = at;
  }
}

/** Macros by {@link macroKey}. */
export type MacroTable = ReadonlyMap<string, MacroDeclaration>;

/** Returns the key of a macro. Macros with the same name can differ in the number of arguments or in having a target. */
export function macroKey(name: string, argumentCount: number, member: boolean): string {
  return `${name}/${argumentCount}/${member}`;
}

/** Returns a table of macros. A macro replaces an earlier one with the same key. */
export function macroTable(macros: readonly MacroDeclaration[]): MacroTable {
  return new Map(macros.map((macro) => [macroKey(macro.name, macro.argumentCount, macro.member), macro]));
}
