import { compileRequirement, type Labels, type LabelTest } from "./match-requirement.ts";
import { byText, formatRequirement, type LabelRequirement } from "./requirement.ts";

const noLabels: Labels = Object.freeze({});

/**
 * Selects objects by labels. An object matches if it meets all requirements; {@link LabelSelector.nothing} never matches.
 *
 * Created by `parseLabelSelector` from text and by `labelSelectorFrom` from an object. Requirements are sorted by key, as in
 * Kubernetes. Immutable.
 *
 * @example
 * parseLabelSelector("app=web,tier notin (test)").matches({ app: "web" }); // true
 */
export class LabelSelector {
  /** Matches every object. */
  static readonly everything: LabelSelector = new LabelSelector([]);
  /** Matches no object. Its text is empty, like that of {@link LabelSelector.everything}. */
  static readonly nothing: LabelSelector = new LabelSelector([], { choosesNothing: true });

  /** The requirements, sorted by key. Empty for both {@link LabelSelector.everything} and {@link LabelSelector.nothing}. */
  readonly requirements: readonly LabelRequirement[];
  readonly #tests: readonly LabelTest[];
  readonly #choosesNothing: boolean;

  /** Does not validate the requirements; check untrusted ones with `requirementProblems` first. */
  constructor(
    requirements: readonly LabelRequirement[],
    { choosesNothing = false }: { readonly choosesNothing?: boolean } = {},
  ) {
    this.requirements = Object.freeze(requirements.toSorted((a, b) => byText(a.key, b.key)));
    this.#tests = this.requirements.map(compileRequirement);
    this.#choosesNothing = choosesNothing;
  }

  /** True if every object matches. */
  get isEverything(): boolean {
    return this.requirements.length === 0 && !this.#choosesNothing;
  }

  /** True if no object matches. Contradictions such as `a,!a` are not detected. */
  get isNothing(): boolean {
    return this.#choosesNothing;
  }

  /** Reports whether an object with these labels matches. */
  matches(labels: Labels | undefined = noLabels): boolean {
    if (this.#choosesNothing) return false;
    for (const test of this.#tests) if (!test(labels)) return false;
    return true;
  }

  /** Returns the value that a label must have to match, if the first requirement on that key has exactly one. For index lookups. */
  requiredValue(key: string): string | undefined {
    const requirement = this.requirements.find((candidate) => candidate.key === key);
    if (requirement === undefined || requirement.values.length !== 1) return undefined;
    return ["=", "==", "in"].includes(requirement.operator) ? requirement.values[0] : undefined;
  }

  /** Returns a selector with additional requirements. {@link LabelSelector.nothing} is returned unchanged. */
  and(...requirements: readonly LabelRequirement[]): LabelSelector {
    return this.#choosesNothing ? this : new LabelSelector([...this.requirements, ...requirements]);
  }

  /** Formats the selector as Kubernetes does. The inverse of `parseLabelSelector`. */
  toString(): string {
    return this.requirements.map(formatRequirement).join(",");
  }
}
