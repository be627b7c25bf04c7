import type { Expr } from "./ast.ts";
import type { ExprFactory, MacroDeclaration } from "./macro.ts";

/** The macros of the standard library: has, all, exists, exists_one, map and filter. */
export const standardMacros: readonly MacroDeclaration[] = [
  {
    name: "has",
    member: false,
    argumentCount: 1,
    expand: (factory, [argument]) => {
      if (argument === undefined) return undefined;
      if (argument.kind !== "select") throw factory.problem(argument, "invalid argument to has() macro");
      return factory.presence(argument.operand, argument.field);
    },
  },
  quantifier("all", (factory, predicate) => ({
    initial: factory.literal(true),
    condition: factory.call("@not_strictly_false", accumulator(factory)),
    step: factory.call("_&&_", accumulator(factory), predicate),
    result: accumulator(factory),
  })),
  quantifier("exists", (factory, predicate) => ({
    initial: factory.literal(false),
    condition: factory.call("@not_strictly_false", factory.call("!_", accumulator(factory))),
    step: factory.call("_||_", accumulator(factory), predicate),
    result: accumulator(factory),
  })),
  quantifier("exists_one", countingOne),
  collecting("map", 2, ([, transform]) => ({ transform })),
  collecting("map", 3, ([, filter, transform]) => ({ filter, transform })),
  collecting("filter", 2, ([variable, filter]) => ({ filter, transform: variable })),
];

/** Returns a reference to the default accumulator. */
export function accumulator(factory: ExprFactory): Expr {
  return factory.ident(factory.accumulator);
}

/** The parts of a comprehension that a quantifier macro defines. */
export interface Fold {
  readonly initial: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

/** Returns the fold of `exists_one`: counts matches without stopping early, and compares the count with 1. */
export function countingOne(factory: ExprFactory, predicate: Expr): Fold {
  const counted = factory.call("_+_", accumulator(factory), factory.literal(1n));
  return {
    initial: factory.literal(0n),
    condition: factory.literal(true),
    step: factory.call("_?_:_", predicate, counted, accumulator(factory)),
    result: factory.call("_==_", accumulator(factory), factory.literal(1n)),
  };
}

function quantifier(name: string, fold: (factory: ExprFactory, predicate: Expr) => Fold): MacroDeclaration {
  return {
    name,
    member: true,
    argumentCount: 2,
    expand: (factory, [argument, predicate], range) => {
      if (argument === undefined || predicate === undefined || range === undefined) return undefined;
      const variable = variableName(factory, argument, "argument must be a simple name");
      return factory.comprehension({ range, variable, ...fold(factory, predicate) });
    },
  };
}

function collecting(
  name: string,
  argumentCount: number,
  parts: (args: readonly Expr[]) => { filter?: Expr | undefined; transform?: Expr | undefined },
): MacroDeclaration {
  return {
    name,
    member: true,
    argumentCount,
    expand: (factory, args, range) => {
      const [argument] = args;
      const { filter, transform } = parts(args);
      if (argument === undefined || transform === undefined || range === undefined) return undefined;
      const variable = variableName(factory, argument, "argument is not an identifier");
      const collected = factory.call("_+_", accumulator(factory), factory.list(transform));
      return factory.comprehension({
        range,
        variable,
        initial: factory.list(),
        condition: factory.literal(true),
        step: filter === undefined ? collected : factory.call("_?_:_", filter, collected, accumulator(factory)),
        result: accumulator(factory),
      });
    },
  };
}

/** Returns the variable name that an argument declares. Throws if it is not an identifier or would hide the accumulator. */
export function variableName(factory: ExprFactory, argument: Expr, problem: string): string {
  if (argument.kind !== "ident") throw factory.problem(argument, problem);
  if (argument.name === factory.accumulator || argument.name === "__result__") {
    throw factory.problem(argument, "iteration variable overwrites accumulator variable");
  }
  return argument.name;
}
