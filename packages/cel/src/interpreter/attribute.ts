import { CelFailure, noSuchOverload } from "../failure.ts";
import { accessCost } from "../cost/rules.ts";
import { CelList, CelMap, CelOptional, type CelResult, type CelValue } from "../values/value.ts";
import { access, invalidKey, missing } from "./access.ts";
import { charge, type Frame, type Step } from "./frame.ts";

/** One step into a value: a field, a key or an index. */
export interface Qualifier {
  /** The key, if it is constant. */
  readonly constant: CelValue | undefined;
  /** Evaluates the key, if it is not constant. */
  readonly step: Step | undefined;
  /** True for `.?` and `[?]`. */
  readonly optional: boolean;
  /** True for a presence test such as `has(a.b)`. */
  readonly test: boolean;
}

/**
 * A value with a chain of qualifiers, such as `a.b[c].d`, planned as a unit.
 *
 * The chain cannot be planned step by step because of optionals: after the first `?` all following qualifiers are optional too.
 */
export interface Attribute {
  /** Evaluates the attribute, without charging `cost`. */
  readonly resolve: Step;
  /** Cost of the evaluation, in addition to that of its parts. */
  readonly cost: number;
  /** Returns the attribute with one more qualifier. */
  qualify(qualifier: Qualifier): Attribute;
}

/** Returns the attribute that starts at a value. */
export function attributeOf(root: Step, tracked: boolean, qualifiers: readonly Qualifier[] = []): Attribute {
  return {
    resolve: qualifiers.length === 0 ? unwrapping(root) : resolver(root, qualifiers, tracked),
    cost: accessCost,
    qualify: (qualifier) => attributeOf(root, tracked, [...qualifiers, qualifier]),
  };
}

/** Returns the attribute of a conditional expression: one of two attributes. */
export function conditionalAttribute(condition: Step, truthy: Attribute, falsy: Attribute): Attribute {
  return {
    resolve: (frame) => {
      const holds = condition(frame);
      if (holds === true) return truthy.resolve(frame);
      if (holds === false) return falsy.resolve(frame);
      return holds instanceof CelFailure ? holds : noSuchOverload();
    },
    cost: 0,
    qualify: (qualifier) => conditionalAttribute(condition, truthy.qualify(qualifier), falsy.qualify(qualifier)),
  };
}

/** Evaluates an attribute without qualifiers. Only the content of an optional is converted. */
function unwrapping(root: Step): Step {
  return (frame) => {
    const value = root(frame);
    if (!(value instanceof CelOptional) || value.value === undefined) return value;
    return CelOptional.of(plain(value.value));
  };
}

function resolver(root: Step, qualifiers: readonly Qualifier[], tracked: boolean): Step {
  return (frame) => {
    const start = root(frame);
    if (start instanceof CelFailure) return start;
    if (!(start instanceof CelOptional)) return follow(frame, start, qualifiers, tracked, false);
    return start.value === undefined ? start : follow(frame, plain(start.value), qualifiers, tracked, true);
  };
}

/**
 * Converts the content of an optional as the API server does: it loses its schema, and nested optionals are unwrapped.
 *
 * Therefore `oldSelf.value().since` is a string where `self.since` is a timestamp.
 */
function plain(value: CelValue): CelValue {
  if (value instanceof CelOptional) return value.value === undefined ? null : plain(value.value);
  return value instanceof CelList || value instanceof CelMap ? value.plain() : value;
}

function follow(
  frame: Frame,
  start: CelValue,
  qualifiers: readonly Qualifier[],
  tracked: boolean,
  startsOptional: boolean,
): CelResult {
  let value = start;
  let optional = startsOptional;
  for (const qualifier of qualifiers) {
    const key = keyOf(frame, qualifier);
    optional ||= qualifier.optional;
    if (key instanceof CelFailure) {
      if (tracked && !optional) charge(frame, accessCost);
      return key;
    }
    const next = access(value, key);
    const found = next !== undefined && !(next instanceof CelFailure);
    if (tracked && (found || !optional)) charge(frame, accessCost);
    if (next instanceof CelFailure) return next;
    if (qualifier.test) return next !== undefined;
    if (next === undefined) return optional ? CelOptional.none : missing(value, key);
    value = next;
  }
  return optional ? CelOptional.of(value) : value;
}

function keyOf(frame: Frame, { constant, step }: Qualifier): CelResult {
  if (step === undefined) return constant ?? null;
  const key = step(frame);
  return key instanceof CelFailure ? key : (invalidKey(key) ?? key);
}
