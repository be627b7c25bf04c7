import { HomeostatError } from "@homeostat/core";
import { formatProblem, type Problem } from "../problem/problem.ts";

/**
 * Thrown when a resource is defined in a way that no API server would accept, or that could not do what it says.
 *
 * All problems are listed at once. It is a mistake in the program, so it is thrown where the resource is defined.
 */
export class DefinitionError extends HomeostatError {
  readonly code = "DEFINITION";
  /** What is wrong, each with its place in the definition or the schema. */
  readonly problems: readonly Problem[];

  constructor(what: string, problems: readonly Problem[], options?: ErrorOptions) {
    const list = problems
      .map((problem) => [formatProblem(problem), ...(problem.hint === undefined ? [] : [problem.hint])].join("\n"))
      .map((text) => `\n  ${text.replaceAll("\n", "\n    ")}`)
      .join("");
    super(
      `${what} is defined wrongly. Correct ${problems.length === 1 ? "this" : "these"} and start again:${list}`,
      options,
    );
    this.problems = problems;
  }
}
