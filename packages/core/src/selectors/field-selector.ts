/** A requirement of a field selector: the field has, or does not have, the value. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/** Returns the value of a field such as `metadata.name`. A field without a value is empty or undefined. */
export type FieldGetter = (field: string) => string | undefined;

/**
 * Selects objects by fields. An object matches if it meets all requirements; {@link FieldSelector.nothing} never matches.
 *
 * The server decides which fields are supported. Created by `parseFieldSelector`. Immutable.
 *
 * @example
 * parseFieldSelector("status.phase!=Running").matches(fieldsOf({ "status.phase": "Failed" })); // true
 */
export class FieldSelector {
  /** Matches every object. */
  static readonly everything: FieldSelector = new FieldSelector([]);
  /** Matches no object. Its text is empty, like that of {@link FieldSelector.everything}. */
  static readonly nothing: FieldSelector = new FieldSelector([], { choosesNothing: true });

  /** The requirements. Empty for both {@link FieldSelector.everything} and {@link FieldSelector.nothing}. */
  readonly requirements: readonly FieldRequirement[];
  readonly #choosesNothing: boolean;

  constructor(
    requirements: readonly FieldRequirement[],
    { choosesNothing = false }: { readonly choosesNothing?: boolean } = {},
  ) {
    this.requirements = Object.freeze([...requirements]);
    this.#choosesNothing = choosesNothing;
  }

  /** True if every object matches. */
  get isEverything(): boolean {
    return this.requirements.length === 0 && !this.#choosesNothing;
  }

  /** True if no object matches. */
  get isNothing(): boolean {
    return this.#choosesNothing;
  }

  /** Reports whether an object with these fields matches. */
  matches(get: FieldGetter): boolean {
    if (this.#choosesNothing) return false;
    for (const { field, operator, value } of this.requirements) {
      if (((get(field) ?? "") === value) !== (operator === "=")) return false;
    }
    return true;
  }

  /** Returns the value that a field must have to match, undefined if there is none. For index lookups. */
  requiredValue(field: string): string | undefined {
    return this.requirements.find((candidate) => candidate.field === field && candidate.operator === "=")?.value;
  }

  /** Formats the selector as Kubernetes does. The inverse of `parseFieldSelector`. */
  toString(): string {
    return this.requirements
      .map(({ field, operator, value }) => `${field}${operator}${escapeFieldValue(value)}`)
      .join(",");
  }
}

/** Escapes a value of a field selector: `\`, `,` and `=` get a backslash. */
export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, "\\$&");
}

/** Returns a getter of the own properties of a map, so that `constructor` is not found unless it is set. */
export function fieldsOf(fields: Readonly<Record<string, string>>): FieldGetter {
  return (field) => (Object.hasOwn(fields, field) ? fields[field] : undefined);
}
