import { metrics } from "../api/spec.ts";
import type { Test } from "../build/objects.ts";
import { quoted, type TestProblem } from "./problem.ts";

/** What is wrong with the thresholds of a test. */
export function* thresholdProblems({ spec }: Test): Iterable<TestProblem> {
  for (const [index, { metric, min, max }] of (spec.thresholds ?? []).entries()) {
    const path = `spec.thresholds[${index}]`;
    const problem = (message: string): TestProblem => ({ rule: "T1", path, message });
    const isKnown: boolean = metrics.some((each) => each === metric);
    if (!isKnown) yield problem(`unknown metric ${quoted(metric)}`);
    if (min === undefined && max === undefined) yield problem("set min or max");
    if (metric === "missingWorkers" && min !== undefined) yield problem("missingWorkers takes only max");
    if ((min ?? 0) < 0) yield problem("min must not be negative");
    if ((max ?? 0) < 0) yield problem("max must not be negative");
    if (min !== undefined && max !== undefined && min > max) yield problem("min must not be above max");
  }
}
