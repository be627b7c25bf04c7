import { CelFailure, noSuchOverload } from "../failure.ts";
import { accessCost } from "../cost/rules.ts";
import { CelList, CelMap, CelOptional, type CelResult, type CelValue } from "../values/value.ts";
import { access, invalidKey, missing } from "./access.ts";
import { charge, type Frame, type Step } from "./frame.ts";

/** One step into a value: a field, a key or an index. */
export interface Qualifier {
  /** The key, when it is known beforehand. */
  readonly constant: CelValue | undefined;
  /** The key, when it is not. */
  readonly step: Step | undefined;
  /** Whether it is written `.?` or `[?]`. */
  readonly optional: boolean;
  /** Whether only presence is asked for, as in `has(a.b)`. */
  readonly test: boolean;
}

/**
 * A value and the way into it, `a.b[c].d`, planned as one.
 *
 * Optionals make it necessary: after the first `?`, everything that follows is optional as well.
 */
export interface Attribute {
  /** Reads the value. The cost of the attribute itself is not part of it. */
  readonly resolve: Step;
  /** What evaluating it costs, beyond its parts. */
  readonly cost: number;
  /** The same attribute, one step further. */
  qualify(qualifier: Qualifier): Attribute;
}

/** The attribute that starts at a value. */
export function attributeOf(root: Step, tracked: boolean, qualifiers: readonly Qualifier[] = []): Attribute {
  return {
    resolve: qualifiers.length === 0 ? unwrapping(root) : resolver(root, qualifiers, tracked),
    cost: accessCost,
    qualify: (qualifier) => attributeOf(root, tracked, [...qualifiers, qualifier]),
  };
}

/** The attribute that starts at one of two, as a condition decides. */
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

/** Without a step into the value, only an optional changes. */
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
 * What an optional holds, as an attribute sees it: data without its schema, and no optional in an optional.
 *
 * So `oldSelf.value().since` is a text where `self.since` is a timestamp. The API server does the same.
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
