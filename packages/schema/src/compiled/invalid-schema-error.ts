import { HomeostatError } from "@homeostat/core";
import { formatProblem, type Problem } from "../problem/problem.ts";

/** Thrown when a schema is not one the API server would take. `problems` lists everything that is wrong with it. */
export class InvalidSchemaError extends HomeostatError {
  readonly code = "INVALID_SCHEMA";
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], options?: ErrorOptions) {
    const lines = problems.map((problem) => {
      const hint = problem.hint === undefined ? "" : ` ${problem.hint}`;
      return `\n  ${formatProblem(problem)}${hint}`;
    });
    const what = problems.length === 1 ? "one problem; correct it" : `${problems.length} problems; correct them`;
    super(`The schema has ${what}:${lines.join("")}`, options);
    this.problems = problems;
  }
}
