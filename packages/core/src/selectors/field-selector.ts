/** One condition of a field selector: the field has the value, or has it not. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/** Gives the value of a field, such as `metadata.name`. A field without value is the empty text or `undefined`. */
export type FieldGetter = (field: string) => string | undefined;

/**
 * Chooses objects by a few of their fields: all requirements hold, or, for {@link FieldSelector.nothing}, none ever does.
 *
 * Which fields there are is for the server to say; a selector only asks for them. Made by `parseFieldSelector`. Immutable.
 *
 * @example
 * parseFieldSelector("status.phase!=Running").matches(fieldsOf({ "status.phase": "Failed" })); // true
 */
export class FieldSelector {
  /** Chooses every object. */
  static readonly everything: FieldSelector = new FieldSelector([]);
  /** Chooses no object. Prints as the empty text, as {@link FieldSelector.everything} does. */
  static readonly nothing: FieldSelector = new FieldSelector([], { choosesNothing: true });

  /** What must hold. Empty for both {@link FieldSelector.everything} and {@link FieldSelector.nothing}. */
  readonly requirements: readonly FieldRequirement[];
  readonly #choosesNothing: boolean;

  constructor(
    requirements: readonly FieldRequirement[],
    { choosesNothing = false }: { readonly choosesNothing?: boolean } = {},
  ) {
    this.requirements = Object.freeze([...requirements]);
    this.#choosesNothing = choosesNothing;
  }

  /** Whether every object is chosen, whatever its fields. */
  get isEverything(): boolean {
    return this.requirements.length === 0 && !this.#choosesNothing;
  }

  /** Whether no object is chosen, whatever its fields. */
  get isNothing(): boolean {
    return this.#choosesNothing;
  }

  /** Whether an object with these fields is chosen. */
  matches(get: FieldGetter): boolean {
    if (this.#choosesNothing) return false;
    for (const { field, operator, value } of this.requirements) {
      if (((get(field) ?? "") === value) !== (operator === "=")) return false;
    }
    return true;
  }

  /** The one value a field must have to be chosen, if there is such; for index lookups. */
  requiredValue(field: string): string | undefined {
    return this.requirements.find((candidate) => candidate.field === field && candidate.operator === "=")?.value;
  }

  /** The text Kubernetes prints; `parseFieldSelector` reads it back. */
  toString(): string {
    return this.requirements
      .map(({ field, operator, value }) => `${field}${operator}${escapeFieldValue(value)}`)
      .join(",");
  }
}

/** A text made safe as the value of a field selector: `\`, `,` and `=` get a backslash. */
export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, "\\$&");
}

/** Reads fields from a plain map by own property only, so that `constructor` is a field like any other. */
export function fieldsOf(fields: Readonly<Record<string, string>>): FieldGetter {
  return (field) => (Object.hasOwn(fields, field) ? fields[field] : undefined);
}
