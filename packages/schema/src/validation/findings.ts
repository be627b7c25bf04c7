import { invalid, type Problem } from "../problem/problem.ts";
import type { Place } from "./place.ts";

/**
 * What the examination of one value against one schema node brought up.
 *
 * A finding is known by its text: the same text is kept once, even when several parts of a schema lead to it. `score`
 * counts the checks that were made; of the failed branches of an `anyOf` or `oneOf` the one with the highest score is
 * reported.
 */
export class Findings {
  private readonly byText = new Map<string, Problem>();
  score = 0;

  get isEmpty(): boolean {
    return this.byText.size === 0;
  }

  /** Adds a problem under the text that tells it from others. */
  add(text: string, problem: Problem): void {
    if (!this.byText.has(text)) this.byText.set(text, problem);
  }

  /** Adds a complaint about the whole: such texts name the place themselves. */
  addGeneral({ base }: Place, text: string): void {
    this.add(text, invalid(base, { value: "" }, text));
  }

  /** Takes over the findings and the score of another examination. */
  merge(other: Findings): void {
    for (const [text, problem] of other.byText) this.add(text, problem);
    this.score += other.score;
  }

  /** The same score without the problems. */
  forgiven(): Findings {
    const findings = new Findings();
    findings.score = this.score;
    return findings;
  }

  problems(): Problem[] {
    return [...this.byText.values()];
  }
}
