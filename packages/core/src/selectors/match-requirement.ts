import { readInt64 } from "./int64-text.ts";
import type { LabelOperator, LabelRequirement } from "./requirement.ts";

/** The labels of an object. */
export type Labels = Readonly<Record<string, string>>;

/** Reports whether labels meet a requirement. */
export type LabelTest = (labels: Labels) => boolean;

/**
 * Compiles a requirement to a function, for many evaluations.
 *
 * Only own properties of the labels count, so that an object has no label `constructor` unless it is set.
 */
export function compileRequirement({ key, operator, values }: LabelRequirement): LabelTest {
  return compilers[operator](key, values);
}

const equals = (key: string, [expected = ""]: readonly string[]): LabelTest => {
  return (labels) => labels[key] === expected && Object.hasOwn(labels, key);
};

const compilers: Readonly<Record<LabelOperator, (key: string, values: readonly string[]) => LabelTest>> = {
  "=": equals,
  "==": equals,
  "!=": (key, values) => not(equals(key, values)),
  in: isIn,
  notin: (key, values) => not(isIn(key, values)),
  exists: (key) => (labels) => Object.hasOwn(labels, key),
  "!": (key) => (labels) => !Object.hasOwn(labels, key),
  gt: (key, values) => compares(key, values, (value, limit) => value > limit),
  lt: (key, values) => compares(key, values, (value, limit) => value < limit),
};

function not(test: LabelTest): LabelTest {
  return (labels) => !test(labels);
}

const listedMax = 8;

function isIn(key: string, values: readonly string[]): LabelTest {
  // Searching a short list is faster than a lookup in a set.
  const set = values.length > listedMax ? new Set(values) : undefined;
  return (labels) => {
    const value = labels[key];
    if (value === undefined || !Object.hasOwn(labels, key)) return false;
    return set === undefined ? values.includes(value) : set.has(value);
  };
}

function compares(
  key: string,
  [operand = ""]: readonly string[],
  holds: (value: bigint, limit: bigint) => boolean,
): LabelTest {
  const limit = readInt64(operand);
  return (labels) => {
    const value = Object.hasOwn(labels, key) ? readInt64(labels[key] ?? "") : undefined;
    return value !== undefined && limit !== undefined && holds(value, limit);
  };
}
