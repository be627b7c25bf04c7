import { readInt64 } from "./int64-text.ts";
import { labelValueProblems, qualifiedNameProblems } from "./qualified-name.ts";
import type { SelectorProblem } from "./selector-error.ts";

/** How a requirement relates a key and its values. The words are those of Kubernetes' `selection` package. */
export type LabelOperator = "=" | "==" | "!=" | "in" | "notin" | "exists" | "!" | "gt" | "lt";

/** One condition of a label selector. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** None for `exists` and `!`, one for `=`, `==`, `!=`, `gt` and `lt`, one or more for `in` and `notin`. */
  readonly values: readonly string[];
}

/** What is wrong with a requirement: its key, the number of its values, a value. Empty when nothing is. */
export function requirementProblems({ key, operator, values }: LabelRequirement): SelectorProblem[] {
  const problems: SelectorProblem[] = qualifiedNameProblems(key).map((message) => ({ path: "key", message }));
  const count = counts[operator];
  if (!count.fits(values.length)) problems.push({ path: "values", message: count.problem });
  for (const [index, value] of values.entries()) {
    for (const message of operandProblems(operator, value)) problems.push({ path: `values[${index}]`, message });
  }
  return problems;
}

/** What is wrong with one value of a requirement; empty when nothing is. */
export function operandProblems(operator: LabelOperator, value: string): string[] {
  const problems = labelValueProblems(value);
  if ((operator === "gt" || operator === "lt") && readInt64(value) === undefined) {
    problems.unshift("for 'Gt', 'Lt' operators, the value must be an integer");
  }
  return problems;
}

/** The requirement as Kubernetes prints it; the values of a set are sorted. */
export function formatRequirement({ key, operator, values }: LabelRequirement): string {
  return printers[operator](key, values.length > 1 ? values.toSorted(byText).join(",") : (values[0] ?? ""));
}

/** By code unit, which for label keys and values, being ASCII, is the order of Kubernetes. */
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
