import { HomeostatError } from "@homeostat/core";
import { formatProblem, type Problem } from "../problem/problem.ts";

/** Thrown when the API server would reject a schema. `problems` lists all problems. */
export class InvalidSchemaError extends HomeostatError {
  readonly code = "INVALID_SCHEMA";
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], options?: ErrorOptions) {
    const lines = problems.map((problem) => {
      const hint = problem.hint === undefined ? "" : ` ${problem.hint}`;
      return `\n  ${formatProblem(problem)}${hint}`;
    });
    const these = problems.length === 1 ? "this problem" : `these ${problems.length} problems`;
    super(`The schema is invalid. Fix ${these}:${lines.join("")}`, options);
    this.problems = problems;
  }
}
