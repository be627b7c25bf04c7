import type { Field, Presence } from "./field.ts";
import { asDefaulted, asOptional, type Common, common, dataOf, type State, withSchema } from "./state.ts";

/**
 * A whole number or a text, as Kubernetes has for ports (`80`, `"http"`), shares (`1`, `"25%"`) and quantities.
 *
 * In CEL such a value has no type before it runs: write `string(self)` or ask `type(self) == int` first.
 */
export interface IntOrStringField<T extends number | string | null = number | string, P extends Presence = "required">
  extends Field<T, T, P>, Common<IntOrStringField<T, P>> {
  /** The smallest value, where it is a number. */
  min(value: number): IntOrStringField<T, P>;
  /** The largest value, where it is a number. */
  max(value: number): IntOrStringField<T, P>;
  /** The largest number of characters, where it is a text. */
  maxLength(length: number): IntOrStringField<T, P>;
  /** A regular expression of RE2 that must match somewhere in the text, where it is a text. */
  pattern(expression: string): IntOrStringField<T, P>;
  /** Lets the field be left out. */
  optional(): IntOrStringField<T, "optional">;
  /** Lets the field be `null`. */
  nullable(): IntOrStringField<T | null, P>;
  /** What the API server fills in when the field is left out. */
  default(value: NonNullable<T>): IntOrStringField<T, "defaulted">;
}

/** A number or text field in this state. */
export function intOrStringField<T extends number | string | null, P extends Presence>(
  state: State<P>,
): IntOrStringField<T, P> {
  const same = (next: State<P>): IntOrStringField<T, P> => intOrStringField(next);
  return {
    ...dataOf(state),
    ...common(state, same),
    min: (minimum) => same(withSchema(state, { minimum })),
    max: (maximum) => same(withSchema(state, { maximum })),
    maxLength: (maxLength) => same(withSchema(state, { maxLength })),
    pattern: (pattern) => same(withSchema(state, { pattern })),
    optional: () => intOrStringField(asOptional(state)),
    nullable: () => intOrStringField(withSchema(state, { nullable: true })),
    default: (value) => intOrStringField(asDefaulted(state, value)),
  };
}
