import type { CelValue } from "../values/value.ts";
import type { Expr, MapEntry } from "./ast.ts";

/** A call that looks like a function and is rewritten before checking. */
export interface MacroDeclaration {
  readonly name: string;
  /** Whether it is written `target.name(args)`. */
  readonly member: boolean;
  /** How many arguments it takes, without the target. */
  readonly argumentCount: number;
  /**
   * The expression the call stands for; `undefined` leaves it an ordinary call. `target` is defined for a member
   * macro. May throw what `factory.problem` returns.
   */
  expand(factory: ExprFactory, args: readonly Expr[], target: Expr | undefined): Expr | undefined;
}

/** What a comprehension is made of. */
export interface ComprehensionParts {
  readonly range: Expr;
  readonly variable: string;
  readonly variable2?: string;
  /** The accumulator; the usual one unless given. */
  readonly accumulator?: string;
  readonly initial: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

/** Makes nodes at the place of the macro call. */
export interface ExprFactory {
  /** The name of the usual accumulator variable, which no expression can write. */
  readonly accumulator: string;
  literal(value: CelValue): Expr;
  ident(name: string): Expr;
  select(operand: Expr, field: string): Expr;
  /** `has(operand.field)`. */
  presence(operand: Expr, field: string): Expr;
  call(name: string, ...args: Expr[]): Expr;
  memberCall(name: string, target: Expr, ...args: Expr[]): Expr;
  list(...elements: Expr[]): Expr;
  map(...entries: MapEntry[]): Expr;
  comprehension(parts: ComprehensionParts): Expr;
  /** The same expression with ids of its own, for an argument that is used twice. */
  copy(expr: Expr): Expr;
  /** The error to throw for a macro call that makes no sense; `at` is the argument to blame. */
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

/** Macros by name, number of arguments and style. */
export type MacroTable = ReadonlyMap<string, MacroDeclaration>;

/** What tells macros apart: one name can have several, with different numbers of arguments. */
export function macroKey(name: string, argumentCount: number, member: boolean): string {
  return `${name}/${argumentCount}/${member}`;
}

/** A table of macros. A later one replaces an earlier one of the same name, number of arguments and style. */
export function macroTable(macros: readonly MacroDeclaration[]): MacroTable {
  return new Map(macros.map((macro) => [macroKey(macro.name, macro.argumentCount, macro.member), macro]));
}
