/**
 * Why a text is not what it should be.
 *
 * The parsers of this folder answer with one instead of throwing, because `isURL`, `isIP` and their like ask about
 * malformed text all the time, and because the wording is the one users of Kubernetes know, not our own.
 */
export class Malformed {
  readonly problem: string;

  constructor(problem: string) {
    this.problem = problem;
  }
}
