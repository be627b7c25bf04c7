import { readInt64 } from "./int64-text.ts";
import { labelValueProblems, qualifiedNameProblems } from "../objects/qualified-name.ts";
import type { SelectorProblem } from "./selector-error.ts";

/** The operator of a requirement, as in the package `selection` of Kubernetes. */
export type LabelOperator = "=" | "==" | "!=" | "in" | "notin" | "exists" | "!" | "gt" | "lt";

/** A requirement of a label selector. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** None for `exists` and `!`, one for `=`, `==`, `!=`, `gt` and `lt`, one or more for `in` and `notin`. */
  readonly values: readonly string[];
}

/** Returns the problems of a requirement: of its key, the number of its values, and each value. Empty if it is valid. */
export function requirementProblems({ key, operator, values }: LabelRequirement): SelectorProblem[] {
  const problems: SelectorProblem[] = qualifiedNameProblems(key).map((message) => ({ path: "key", message }));
  const count = counts[operator];
  if (!count.fits(values.length)) problems.push({ path: "values", message: count.problem });
  for (const [index, value] of values.entries()) {
    for (const message of operandProblems(operator, value)) problems.push({ path: `values[${index}]`, message });
  }
  return problems;
}

/** Returns the problems of one value of a requirement; empty if it is valid. */
export function operandProblems(operator: LabelOperator, value: string): string[] {
  const problems = labelValueProblems(value);
  if ((operator === "gt" || operator === "lt") && readInt64(value) === undefined) {
    problems.unshift("for 'Gt', 'Lt' operators, the value must be an integer");
  }
  return problems;
}

/** Formats a requirement as Kubernetes does. The values of a set are sorted. */
export function formatRequirement({ key, operator, values }: LabelRequirement): string {
  return printers[operator](key, values.length > 1 ? values.toSorted(byText).join(",") : (values[0] ?? ""));
}

/** Compares by code unit. Label keys and values are ASCII, so this is the order of Kubernetes. */
export function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

interface Count {
  readonly fits: (count: number) => boolean;
  readonly problem: string;
}

const none: Count = { fits: (count) => count === 0, problem: "values set must be empty for exists and does not exist" };
const one: Count = { fits: (count) => count === 1, problem: "exact-match compatibility requires one single value" };
const some: Count = { fits: (count) => count > 0, problem: "for 'in', 'notin' operators, values set can't be empty" };
const oneNumber: Count = { ...one, problem: "for 'Gt', 'Lt' operators, exactly one value is required" };

const counts: Readonly<Record<LabelOperator, Count>> = {
  "=": one,
  "==": one,
  "!=": one,
  in: some,
  notin: some,
  exists: none,
  "!": none,
  gt: oneNumber,
  lt: oneNumber,
};

const printers: Readonly<Record<LabelOperator, (key: string, values: string) => string>> = {
  "=": (key, value) => `${key}=${value}`,
  "==": (key, value) => `${key}==${value}`,
  "!=": (key, value) => `${key}!=${value}`,
  in: (key, values) => `${key} in (${values})`,
  notin: (key, values) => `${key} notin (${values})`,
  exists: (key) => key,
  "!": (key) => `!${key}`,
  gt: (key, value) => `${key}>${value}`,
  lt: (key, value) => `${key}<${value}`,
};
