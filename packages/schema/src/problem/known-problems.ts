import { isEqual } from "@homeostat/core";
import { formatShortProblem, type Problem } from "./problem.ts";

/**
 * Returns a function that reports whether a problem is among the known ones: same path, same message and same value.
 *
 * For updates: a problem that the old object already had must not block a change of another field.
 */
export function isKnownProblem(known: readonly Problem[]): (problem: Problem) => boolean {
  // By short text, which does not quote values of megabytes. It shows only the beginning of a value, so the values are compared, too.
  const byText = new Map<string, Problem[]>();
  for (const problem of known) {
    const text = formatShortProblem(problem);
    const same = byText.get(text);
    if (same === undefined) byText.set(text, [problem]);
    else same.push(problem);
  }
  return (problem) =>
    byText.get(formatShortProblem(problem))?.some(({ value }) => isEqual(value, problem.value)) ?? false;
}
