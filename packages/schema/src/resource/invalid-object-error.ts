import { HomeostatError } from "@homeostat/core";
import { formatProblem, type Problem } from "../problem/problem.ts";

/** Thrown when an object is not what its schema and rules want. Sending it would be refused for the same reasons. */
export class InvalidObjectError extends HomeostatError {
  readonly code = "INVALID_OBJECT";
  readonly problems: readonly Problem[];

  constructor(what: string, problems: readonly Problem[], options?: ErrorOptions) {
    const list = problems
      .map((problem) => `\n  ${formatProblem(problem)}${problem.hint === undefined ? "" : ` ${problem.hint}`}`)
      .join("");
    super(`${what} is invalid. Correct ${problems.length === 1 ? "this" : "these"}:${list}`, options);
    this.problems = problems;
  }
}
