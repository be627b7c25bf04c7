import { HomeostatError } from "@homeostat/core";
import { formatProblem, type Problem } from "../problem/problem.ts";

/** Thrown when an object violates its schema or rules. The API server would reject it for the same reasons. */
export class InvalidObjectError extends HomeostatError {
  readonly code = "INVALID_OBJECT";
  readonly problems: readonly Problem[];

  constructor(what: string, problems: readonly Problem[], options?: ErrorOptions) {
    const list = problems
      .map((problem) => `\n  ${formatProblem(problem)}${problem.hint === undefined ? "" : ` ${problem.hint}`}`)
      .join("");
    super(`${what} is invalid. Fix ${problems.length === 1 ? "this problem" : "these problems"}:${list}`, options);
    this.problems = problems;
  }
}
