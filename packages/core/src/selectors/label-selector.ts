import { compileRequirement, type Labels, type LabelTest } from "./match-requirement.ts";
import { byText, formatRequirement, type LabelRequirement } from "./requirement.ts";

const noLabels: Labels = Object.freeze({});

/**
 * Chooses objects by their labels: all requirements hold, or, for {@link LabelSelector.nothing}, none ever does.
 *
 * Made by `parseLabelSelector` from text and by `labelSelectorFrom` from an object; requirements are sorted by key, as in
 * Kubernetes. Immutable.
 *
 * @example
 * parseLabelSelector("app=web,tier notin (test)").matches({ app: "web" }); // true
 */
export class LabelSelector {
  /** Chooses every object. */
  static readonly everything: LabelSelector = new LabelSelector([]);
  /** Chooses no object. Prints as the empty text, as {@link LabelSelector.everything} does. */
  static readonly nothing: LabelSelector = new LabelSelector([], { choosesNothing: true });

  /** What must hold, sorted by key. Empty for both {@link LabelSelector.everything} and {@link LabelSelector.nothing}. */
  readonly requirements: readonly LabelRequirement[];
  readonly #tests: readonly LabelTest[];
  readonly #choosesNothing: boolean;

  /** Takes the requirements as they are; check them with `requirementProblems` first when they come from outside. */
  constructor(
    requirements: readonly LabelRequirement[],
    { choosesNothing = false }: { readonly choosesNothing?: boolean } = {},
  ) {
    this.requirements = Object.freeze(requirements.toSorted((a, b) => byText(a.key, b.key)));
    this.#tests = this.requirements.map(compileRequirement);
    this.#choosesNothing = choosesNothing;
  }

  /** Whether every object is chosen, whatever its labels. */
  get isEverything(): boolean {
    return this.requirements.length === 0 && !this.#choosesNothing;
  }

  /** Whether no object is chosen, whatever its labels. Contradictions such as `a,!a` are not looked for. */
  get isNothing(): boolean {
    return this.#choosesNothing;
  }

  /** Whether an object with these labels is chosen. */
  matches(labels: Labels | undefined = noLabels): boolean {
    if (this.#choosesNothing) return false;
    for (const test of this.#tests) if (!test(labels)) return false;
    return true;
  }

  /** The one value a label must have to be chosen, if the first requirement on that key names it; for index lookups. */
  requiredValue(key: string): string | undefined {
    const requirement = this.requirements.find((candidate) => candidate.key === key);
    if (requirement === undefined || requirement.values.length !== 1) return undefined;
    return ["=", "==", "in"].includes(requirement.operator) ? requirement.values[0] : undefined;
  }

  /** A selector that demands this and more. Nothing stays nothing. */
  and(...requirements: readonly LabelRequirement[]): LabelSelector {
    return this.#choosesNothing ? this : new LabelSelector([...this.requirements, ...requirements]);
  }

  /** The text Kubernetes prints; `parseLabelSelector` reads it back. */
  toString(): string {
    return this.requirements.map(formatRequirement).join(",");
  }
}
