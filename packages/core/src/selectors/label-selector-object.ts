import { LabelSelector } from "./label-selector.ts";
import type { Labels } from "./match-requirement.ts";
import { type LabelOperator, type LabelRequirement, requirementProblems } from "./requirement.ts";
import { InvalidSelectorError, type SelectorProblem } from "./selector-error.ts";

/** A label selector in an object, such as `spec.selector` of a Deployment. */
export interface LabelSelectorObject {
  readonly matchLabels?: Labels | null | undefined;
  readonly matchExpressions?: readonly LabelSelectorExpression[] | null | undefined;
}

/** One entry of `matchExpressions`. The operator is `In`, `NotIn`, `Exists` or `DoesNotExist`. */
export interface LabelSelectorExpression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | null | undefined;
}

const operators: ReadonlyMap<string, LabelOperator> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
]);

/**
 * Converts a selector in an object. A missing one (`undefined` or `null`) matches nothing; an empty one matches everything.
 *
 * Throws {@link InvalidSelectorError} with all problems.
 */
export function labelSelectorFrom(object: LabelSelectorObject | null | undefined): LabelSelector {
  if (object === undefined || object === null) return LabelSelector.nothing;
  const { requirements, problems } = read(object);
  if (problems.length > 0) throw new InvalidSelectorError(problems);
  return requirements.length === 0 ? LabelSelector.everything : new LabelSelector(requirements);
}

/** Returns all problems of a selector in an object, by path; empty if it is valid. */
export function labelSelectorProblems(object: LabelSelectorObject): SelectorProblem[] {
  return read(object).problems;
}

function read({ matchLabels, matchExpressions }: LabelSelectorObject): {
  requirements: LabelRequirement[];
  problems: SelectorProblem[];
} {
  const requirements: LabelRequirement[] = [];
  const problems: SelectorProblem[] = [];
  for (const [key, value] of Object.entries(matchLabels ?? {})) {
    const requirement: LabelRequirement = { key, operator: "=", values: [value] };
    requirements.push(requirement);
    for (const { message } of requirementProblems(requirement)) problems.push({ path: `matchLabels[${key}]`, message });
  }
  for (const [index, expression] of (matchExpressions ?? []).entries()) {
    const path = `matchExpressions[${index}]`;
    const operator = operators.get(expression.operator);
    if (operator === undefined) {
      problems.push({ path: `${path}.operator`, message: operatorProblem(expression.operator) });
      continue;
    }
    const requirement = { key: expression.key, operator, values: [...(expression.values ?? [])] };
    requirements.push(requirement);
    for (const problem of requirementProblems(requirement)) {
      problems.push({ path: `${path}.${problem.path}`, message: problem.message });
    }
  }
  return { requirements, problems };
}

function operatorProblem(operator: string): string {
  return `${JSON.stringify(operator)} is not a valid label selector operator; valid are ${[...operators.keys()].join(", ")}`;
}
