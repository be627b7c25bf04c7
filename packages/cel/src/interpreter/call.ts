import type { Reference } from "../checker/checked.ts";
import { standardCallCost } from "../cost/track.ts";
import { CelFailure, failure } from "../failure.ts";
import { typeNameOf } from "../values/type-of.ts";
import type { CelResult, CelValue } from "../values/value.ts";
import { charge, type Step } from "./frame.ts";
import { guardOverload } from "./guard.ts";

type FunctionReference = Extract<Reference, { kind: "function" }>;

/** Calls the overload of a function that matches the arguments. */
type Invoke = (args: CelValue[]) => CelResult;

/** Options of {@link planCall}. */
export interface CallOptions {
  /** True to track the cost. */
  readonly tracked: boolean;
  /**
   * True to skip the remaining arguments after a failure. This affects only the cost. Usually both arguments of a binary call are
   * evaluated, as in cel-go.
   */
  readonly stopsEarly: boolean;
}

/** Returns the step that evaluates the arguments and calls a function. */
export function planCall(reference: FunctionReference, args: readonly Step[], options: CallOptions): Step {
  const invoke = dispatcher(reference);
  const cost = options.tracked ? costOfCall(reference) : undefined;
  const [first, second] = args;
  if (args.length === 1 && first !== undefined) return unary(first, invoke, cost);
  // If the arguments select the overload at run time, the call stops at the first failing argument.
  const single = reference.overloads.length === 1 || reference.entry.otherwise !== undefined;
  if (args.length === 2 && first !== undefined && second !== undefined && single && !options.stopsEarly) {
    return binary(first, second, invoke, cost);
  }
  return variadic(args, invoke, cost);
}

type CallCosts = (args: readonly CelValue[], result: CelResult) => number;

function unary(argument: Step, invoke: Invoke, cost: CallCosts | undefined): Step {
  return (frame) => {
    const value = argument(frame);
    if (value instanceof CelFailure) {
      if (cost !== undefined) charge(frame, cost([null], null));
      return value;
    }
    const args = [value];
    const result = invoke(args);
    if (cost !== undefined) charge(frame, cost(args, result));
    return result;
  };
}

function binary(left: Step, right: Step, invoke: Invoke, cost: CallCosts | undefined): Step {
  return (frame) => {
    const one = left(frame);
    const two = right(frame);
    if (one instanceof CelFailure || two instanceof CelFailure) {
      if (cost !== undefined) charge(frame, cost([costArgument(one), costArgument(two)], null));
      return one instanceof CelFailure ? one : two;
    }
    const args = [one, two];
    const result = invoke(args);
    if (cost !== undefined) charge(frame, cost(args, result));
    return result;
  };
}

function variadic(steps: readonly Step[], invoke: Invoke, cost: CallCosts | undefined): Step {
  return (frame) => {
    const args: CelValue[] = [];
    for (const step of steps) {
      const value = step(frame);
      if (value instanceof CelFailure) {
        if (cost !== undefined && args.length === steps.length - 1) charge(frame, cost([...args, null], null));
        return value;
      }
      args.push(value);
    }
    const result = invoke(args);
    if (cost !== undefined) charge(frame, cost(args, result));
    return result;
  };
}

/** Returns the value that represents an argument in the cost of a call. A failure counts as a scalar. */
export function costArgument(result: CelResult): CelValue {
  return result instanceof CelFailure ? null : result;
}

function dispatcher({ entry, overloads }: FunctionReference): Invoke {
  const otherwise: Invoke = (args) =>
    entry.otherwise === undefined ? noFittingOverload(entry.name, args) : entry.otherwise(...args);
  const [only] = overloads;
  if (overloads.length === 1 && only !== undefined) {
    const fits = guardOverload(only);
    return (args) => (fits(args) ? only.implement(...args) : otherwise(args));
  }
  // The arguments select among all overloads of the function with that number of parameters.
  const candidates = entry.overloads.map((overload) => ({ overload, fits: guardOverload(overload) }));
  return (args) => {
    for (const { overload, fits } of candidates) {
      if (overload.params.length === args.length && fits(args)) return overload.implement(...args);
    }
    return otherwise(args);
  };
}

function noFittingOverload(name: string, args: readonly CelValue[]): CelFailure {
  return failure(`no such overload: ${name}(${args.map(typeNameOf).join(", ")})`);
}

/** Returns the cost function of calls: that of the overload, else of the function, else the rules for standard functions. */
export function costOfCall({ entry, overloads }: FunctionReference): CallCosts {
  const only = overloads.length === 1 ? overloads[0] : undefined;
  const id = only?.id ?? "";
  const standard = standardCallCost(id);
  const hooks = [only?.cost, ...entry.costs].filter((hook) => hook?.track !== undefined);
  if (hooks.length === 0) return standard;
  return (args, result) => {
    for (const hook of hooks) {
      const cost = hook?.track?.(args, costArgument(result), id);
      if (cost !== undefined) return cost;
    }
    return standard(args);
  };
}
