/**
 * The problem of a malformed string.
 *
 * The parsers of this folder return it instead of throwing, because malformed input is normal for `isURL`, `isIP` and similar
 * functions. The messages are those of Kubernetes.
 */
export class Malformed {
  readonly problem: string;

  constructor(problem: string) {
    this.problem = problem;
  }
}
