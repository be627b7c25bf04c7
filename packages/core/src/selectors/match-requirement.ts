import { readInt64 } from "./int64-text.ts";
import type { LabelOperator, LabelRequirement } from "./requirement.ts";

/** The labels of an object. */
export type Labels = Readonly<Record<string, string>>;

/** Tells whether labels meet a requirement. */
export type LabelTest = (labels: Labels) => boolean;

/**
 * A requirement made ready to be asked many times.
 *
 * Labels are read by own property only: an object without labels has no label named `constructor`.
 */
export function compileRequirement({ key, operator, values }: LabelRequirement): LabelTest {
  return compilers[operator](key, values);
}

const equals = (key: string, [wanted = ""]: readonly string[]): LabelTest => {
  return (labels) => labels[key] === wanted && Object.hasOwn(labels, key);
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
  // A short list is faster to walk than a set is to ask.
  const wanted = values.length > listedMax ? new Set(values) : undefined;
  return (labels) => {
    const value = labels[key];
    if (value === undefined || !Object.hasOwn(labels, key)) return false;
    return wanted === undefined ? values.includes(value) : wanted.has(value);
  };
}

function compares(
  key: string,
  [wanted = ""]: readonly string[],
  holds: (value: bigint, limit: bigint) => boolean,
): LabelTest {
  const limit = readInt64(wanted);
  return (labels) => {
    const value = Object.hasOwn(labels, key) ? readInt64(labels[key] ?? "") : undefined;
    return value !== undefined && limit !== undefined && holds(value, limit);
  };
}
