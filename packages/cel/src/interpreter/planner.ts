import type { CheckedExpr } from "../checker/checked.ts";
import { listCost, mapCost, objectCost } from "../cost/rules.ts";
import { CelFailure, failure, noSuchOverload } from "../failure.ts";
import { celPattern } from "../pattern/cel-pattern.ts";
import type { CallExpr, ComprehensionExpr, Expr, ListExpr, MapExpr, SelectExpr, StructExpr } from "../syntax/ast.ts";
import { ArrayList, EntryMap } from "../values/collections.ts";
import { equals } from "../values/equality.ts";
import { formatValue } from "../values/format.ts";
import { CelStruct } from "../values/struct.ts";
import { CelOptional, type CelResult, type CelValue } from "../values/value.ts";
import { invalidKey } from "./access.ts";
import { attributeOf, conditionalAttribute, type Attribute } from "./attribute.ts";
import { costOfCall, planCall, costArgument } from "./call.ts";
import { initialAccumulator, planFold } from "./fold.ts";
import { charge, type Frame, type Step } from "./frame.ts";
import { constantMembership } from "./membership.ts";

// The planner: one walk over the tree, with a method per kind of node. It is one class because all methods share the slots of
// variables.

/** Thrown when the evaluation of a constant part fails, so that the expression could never be evaluated. */
export class PlanProblem extends Error {
  readonly at: Expr;

  constructor(at: Expr, message: string) {
    super(message);
    this.at = at;
  }
}

/** Compiles a checked expression into a step. With `tracked`, the step tracks the cost. */
export function plan(checked: CheckedExpr, tracked: boolean): Step {
  return new Planner(checked, tracked).plan(checked.expr).step;
}

interface Planned {
  readonly step: Step;
  /** The value, if it is constant. */
  readonly constant?: CelValue;
  /** The attribute, if the node is one; further qualifiers extend it. */
  readonly attribute?: Attribute;
}

interface Local {
  readonly name: string;
  readonly slot: number;
  /** The initial value of an accumulator, evaluated at its first use. */
  readonly initial?: Step;
}

class Planner {
  readonly #checked: CheckedExpr;
  readonly #tracked: boolean;
  readonly #locals: Local[] = [];
  #slotCount = 0;

  constructor(checked: CheckedExpr, tracked: boolean) {
    this.#checked = checked;
    this.#tracked = tracked;
  }

  plan(expr: Expr): Planned {
    const reference = this.#checked.referenceOf(expr);
    if (reference?.kind === "constant") return constant(reference.value);
    if (reference?.kind === "variable")
      return this.#evaluated(attributeOf(this.#variable(reference.name), this.#tracked));
    switch (expr.kind) {
      case "literal":
        return constant(expr.value);
      case "ident":
        throw new PlanProblem(expr, `unresolved name ${expr.name}`);
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

  // Attributes

  /** Returns the planned evaluation of an attribute. */
  #evaluated(attribute: Attribute, cost: number = attribute.cost): Planned {
    return { step: this.#charged(attribute.resolve, cost), attribute };
  }

  #charged(step: Step, cost: number): Step {
    if (!this.#tracked || cost === 0) return step;
    return (frame) => {
      const result = step(frame);
      charge(frame, cost);
      return result;
    };
  }

  #variable(name: string): Step {
    const local = this.#locals.findLast((candidate) => candidate.name === name);
    if (local === undefined) {
      return ({ bindings }) => {
        const value = Object.hasOwn(bindings, name) ? bindings[name] : undefined;
        return value === undefined ? failure(`no such attribute(s): ${name}`) : value;
      };
    }
    const { slot, initial } = local;
    return (frame) => {
      const value = frame.slots[slot];
      if (value !== undefined) return value;
      const first =
        initial === undefined ? failure(`no such attribute(s): ${name}`) : initialAccumulator(initial(frame));
      frame.slots[slot] = first;
      return first;
    };
  }

  #asAttribute({ attribute, step }: Planned): Attribute {
    return attribute ?? attributeOf(step, this.#tracked);
  }

  #select(expr: SelectExpr): Planned {
    const operand = this.#asAttribute(this.plan(expr.operand));
    const attribute = operand.qualify({ constant: expr.field, step: undefined, optional: false, test: expr.test });
    // As in cel-go, the presence test itself is free, but the access to the tested field is not.
    return expr.test ? { step: this.#charged(presence(attribute), attribute.cost - 1) } : this.#evaluated(attribute);
  }

  #index(operand: Expr, index: Expr, optional: boolean): Planned {
    const attribute = this.#asAttribute(this.plan(operand));
    const planned = this.plan(index);
    if (planned.constant === undefined) {
      // As in cel-go, a key that is an attribute is charged for its qualifiers, but not for its own access.
      const step = planned.attribute?.resolve ?? planned.step;
      return this.#evaluated(attribute.qualify({ constant: undefined, step, optional, test: false }));
    }
    const problem = invalidKey(planned.constant);
    if (problem !== undefined) throw new PlanProblem(index, problem.message);
    return this.#evaluated(attribute.qualify({ constant: planned.constant, step: undefined, optional, test: false }));
  }

  // Calls

  #call(expr: CallExpr): Planned {
    const reference = this.#checked.referenceOf(expr);
    if (reference?.kind !== "function") throw new PlanProblem(expr, `unresolved function ${expr.name}`);
    const { entry, overloads, namespaced } = reference;
    const exprs = expr.target === undefined || namespaced ? expr.args : [expr.target, ...expr.args];
    const [first, second, third] = exprs;
    if (first !== undefined && second !== undefined) {
      if (entry.name === "_[_]") return this.#index(first, second, false);
      if (entry.name === "_[?_]" || entry.name === "_?._") return this.#index(first, second, true);
      if (entry.name === "_?_:_" && third !== undefined) return this.#conditional(first, second, third);
    }
    const args = exprs.map((arg) => this.plan(arg));
    const steps = args.map((arg) => arg.step);
    const special = this.#special(entry.name, steps, this.#tracked ? costOfCall(reference) : undefined);
    if (special !== undefined) return { step: special };
    const patternIndex = overloads[0]?.patternArgument;
    const pattern = patternIndex === undefined ? undefined : args[patternIndex]?.constant;
    this.#checkPattern(expr, pattern);
    if (overloads.length === 1 && overloads[0]?.id === "in_list") {
      const membership = constantMembership(steps[0], args[1]?.constant);
      if (membership !== undefined) return membership;
    }
    const step = planCall(reference, steps, { tracked: this.#tracked, stopsEarly: pattern !== undefined });
    const folded = conversionNames.has(entry.name) && args.length === 1 && args[0]?.constant !== undefined;
    if (!folded) return { step };
    const value = evaluateNow(step);
    if (value instanceof CelFailure) throw new PlanProblem(expr, value.message);
    return constant(value);
  }

  /** Plans functions that do not need all of their arguments. */
  #special(name: string, steps: readonly Step[], cost: ReturnType<typeof costOfCall> | undefined): Step | undefined {
    const [first, second] = steps;
    if (name === "_&&_") return logic(steps, false);
    if (name === "_||_") return logic(steps, true);
    if (first === undefined) return undefined;
    if (name === "@not_strictly_false") {
      return this.#charged((frame) => first(frame) !== false, 1);
    }
    if (second === undefined) return undefined;
    if (name === "_==_" || name === "_!=_") return equality(first, second, name === "_==_", cost);
    if (name === "or" || name === "orValue") return orElse(first, second, name === "orValue");
    return undefined;
  }

  #checkPattern(at: Expr, pattern: CelValue | undefined): void {
    if (typeof pattern !== "string") return;
    const compiled = celPattern(pattern);
    if (compiled instanceof CelFailure) throw new PlanProblem(at, compiled.message);
  }

  #conditional(condition: Expr, truthy: Expr, falsy: Expr): Planned {
    const ifTrue = this.#asAttribute(this.plan(truthy));
    const ifFalse = this.#asAttribute(this.plan(falsy));
    return this.#evaluated(conditionalAttribute(this.plan(condition).step, ifTrue, ifFalse));
  }

  // Literals

  /** Evaluates a literal with constant parts now. If that fails, the failure is the result of every evaluation. */
  #foldedLiteral(step: Step): Planned {
    const value = evaluateNow(step);
    return value instanceof CelFailure ? { step: () => value } : constant(value);
  }

  #list(expr: ListExpr): Planned {
    const elements = expr.elements.map((element) => this.plan(element));
    const steps = elements.map((element) => element.step);
    const step: Step = (frame) => {
      const values: CelValue[] = [];
      for (const [index, element] of steps.entries()) {
        const value = element(frame);
        if (value instanceof CelFailure) return value;
        if (!expr.optional.has(index)) values.push(value);
        else if (!(value instanceof CelOptional)) {
          return failure(`cannot initialize optional list element from non-optional value ${formatValue(value)}`);
        } else if (value.value !== undefined) values.push(value.value);
      }
      return new ArrayList(values);
    };
    if (elements.every((element) => element.constant !== undefined)) return this.#foldedLiteral(step);
    return { step: this.#charged(step, listCost) };
  }

  #map(expr: MapExpr): Planned {
    const entries = expr.entries.map(({ key, value, optional }) => ({
      key: this.plan(key),
      value: this.plan(value),
      optional,
    }));
    const step: Step = (frame) => {
      const map = new EntryMap();
      for (const entry of entries) {
        const key = entry.key.step(frame);
        if (key instanceof CelFailure) return key;
        const problem = addEntry(map, key, entry.value.step(frame), entry.optional);
        if (problem !== undefined) return problem;
      }
      return map;
    };
    const isConstant = entries.every(({ key, value }) => key.constant !== undefined && value.constant !== undefined);
    return isConstant ? this.#foldedLiteral(step) : { step: this.#charged(step, mapCost) };
  }

  #struct(expr: StructExpr): Planned {
    const fields = expr.fields.map(({ field, value, optional }) => ({ field, step: this.plan(value).step, optional }));
    const type = this.#checked.typeOf(expr);
    const name = type.kind === "object" ? type.name : expr.name;
    const step: Step = (frame) => {
      const map = new CelStruct(name);
      for (const { field, step: value, optional } of fields) {
        const problem = addEntry(map, field, value(frame), optional);
        if (problem !== undefined) return problem;
      }
      return map;
    };
    return { step: this.#charged(step, objectCost) };
  }

  // Comprehensions

  #comprehension(expr: ComprehensionExpr): Planned {
    const initial = this.plan(expr.initial).step;
    const range = this.plan(expr.range).step;
    const accumulator: Local = { name: expr.accumulator, slot: this.#slotCount++, initial };
    const variable: Local = { name: expr.variable, slot: this.#slotCount++ };
    const variable2 = expr.variable2 === undefined ? undefined : { name: expr.variable2, slot: this.#slotCount++ };
    this.#locals.push(accumulator, variable);
    if (variable2 !== undefined) this.#locals.push(variable2);
    const condition = this.plan(expr.condition).step;
    const step = this.plan(expr.step).step;
    this.#locals.splice(this.#locals.indexOf(variable));
    const result = this.plan(expr.result).step;
    this.#locals.pop();
    const slots = { accumulator: accumulator.slot, variable: variable.slot, variable2: variable2?.slot };
    return { step: planFold({ range, condition, step, result, slots }) };
  }
}

/** Conversion functions, which are evaluated at compile time for constants. */
const conversionNames: ReadonlySet<string> = new Set(
  "bool bytes double duration dyn int string timestamp type uint".split(" "),
);

/** Returns the step of a presence test. A missing field along the way results in an empty optional, which means absent. */
function presence(attribute: Attribute): Step {
  return (frame) => {
    const found = attribute.resolve(frame);
    return found instanceof CelOptional ? found.value !== undefined : found;
  };
}

/** Evaluates a step that does not depend on variables. */
function evaluateNow(step: Step): CelResult {
  return step({ bindings: {}, slots: [], costLimit: Infinity, cost: 0 });
}

function constant(value: CelValue): Planned {
  return { step: () => value, constant: value };
}

/** Returns the step of `&&` or `||`. The deciding value has precedence over errors, before and after it. */
function logic(terms: readonly Step[], deciding: boolean): Step {
  return (frame) => {
    let problem: CelFailure | undefined;
    for (const term of terms) {
      const value = term(frame);
      if (value === deciding) return deciding;
      if (value !== !deciding) problem ??= value instanceof CelFailure ? value : noSuchOverload();
    }
    return problem ?? !deciding;
  };
}

function equality(left: Step, right: Step, isEquals: boolean, cost: ReturnType<typeof costOfCall> | undefined): Step {
  return (frame) => {
    const one = left(frame);
    const two = right(frame);
    if (one instanceof CelFailure || two instanceof CelFailure) {
      if (cost !== undefined) charge(frame, cost([costArgument(one), costArgument(two)], null));
      return one instanceof CelFailure ? one : two;
    }
    const equal = equals(one, two);
    // Values that cannot be compared are an error for `==`, but simply unequal for `!=`.
    const result: CelResult = isEquals ? equal : equal !== true;
    if (cost !== undefined) charge(frame, cost([one, two], result));
    return result;
  };
}

/** Returns the step of `or` or `orValue`. The right side is evaluated only if the left side is empty. */
function orElse(left: Step, right: Step, unwrap: boolean): Step {
  return (frame: Frame) => {
    const optional = left(frame);
    if (!(optional instanceof CelOptional)) return optional;
    if (optional.value === undefined) return right(frame);
    return unwrap ? optional.value : optional;
  };
}

function addEntry(map: EntryMap, key: CelValue, value: CelResult, optional: boolean): CelFailure | undefined {
  if (value instanceof CelFailure) return value;
  if (!optional) {
    map.put(key, value);
  } else if (!(value instanceof CelOptional)) {
    return failure(
      `cannot initialize optional entry '${formatValue(key)}' from non-optional value ${formatValue(value)}`,
    );
  } else if (value.value === undefined) {
    map.remove(key);
  } else {
    map.put(key, value.value);
  }
  return undefined;
}
