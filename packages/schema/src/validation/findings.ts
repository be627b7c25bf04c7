import { invalid, type Problem } from "../problem/problem.ts";
import type { Location } from "./location.ts";

/**
 * The problems of one value against one schema node.
 *
 * Problems are identified by their text: the same text is kept only once, even if several parts of a schema cause it. `score`
 * counts the checks that were made; of the failed branches of `anyOf` or `oneOf`, the one with the highest score is reported.
 */
export class Findings {
  private readonly byText = new Map<string, Problem>();
  score = 0;

  get isEmpty(): boolean {
    return this.byText.size === 0;
  }

  /** Adds a problem, unless one with the same text exists. */
  add(text: string, problem: Problem): void {
    if (!this.byText.has(text)) this.byText.set(text, problem);
  }

  /** Adds a problem without a path of its own: its text already names the location. */
  addGeneral({ base }: Location, text: string): void {
    this.add(text, invalid(base, { value: "" }, text));
  }

  /** Adds the problems and the score of another result. */
  merge(other: Findings): void {
    for (const [text, problem] of other.byText) this.add(text, problem);
    this.score += other.score;
  }

  /** Returns the same score without the problems, for an unchanged value. */
  withoutProblems(): Findings {
    const findings = new Findings();
    findings.score = this.score;
    return findings;
  }

  problems(): Problem[] {
    return [...this.byText.values()];
  }
}
