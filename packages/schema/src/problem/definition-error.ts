import { HomeostatError } from "@homeostat/core";
import { formatProblem, type Problem } from "./problem.ts";

/**
 * Thrown when the definition of a resource or conversion is invalid, for example because the API server would reject its CRD.
 *
 * This is a programming error, so it is thrown where the resource is defined and lists all problems at once.
 */
export class DefinitionError extends HomeostatError {
  readonly code = "DEFINITION";
  /** All problems, each with its path in the definition. */
  readonly problems: readonly Problem[];

  constructor(what: string, problems: readonly Problem[], options?: ErrorOptions) {
    const list = problems
      .map((problem) => [formatProblem(problem), ...(problem.hint === undefined ? [] : [problem.hint])].join("\n"))
      .map((text) => `\n  ${text.replaceAll("\n", "\n    ")}`)
      .join("");
    super(
      `Invalid definition of ${what}. Fix ${problems.length === 1 ? "this problem" : "these problems"}:${list}`,
      options,
    );
    this.problems = problems;
  }
}
