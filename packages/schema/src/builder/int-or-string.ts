import type { Field, Presence } from "./field.ts";
import { asDefaulted, asOptional, type FieldMethods, common, dataOf, type State, withSchema } from "./state.ts";

/**
 * An integer or a string, as Kubernetes uses for ports (`80`, `"http"`), counts or percentages (`1`, `"25%"`) and quantities.
 *
 * In CEL the value has a dynamic type: convert it with `string(self)` or test `type(self) == int` first.
 */
export interface IntOrStringField<T extends number | string | null = number | string, P extends Presence = "required">
  extends Field<T, T, P>, FieldMethods<IntOrStringField<T, P>> {
  /** Sets the minimum for numbers. */
  min(value: number): IntOrStringField<T, P>;
  /** Sets the maximum for numbers. */
  max(value: number): IntOrStringField<T, P>;
  /** Sets the maximum number of characters for strings. */
  maxLength(length: number): IntOrStringField<T, P>;
  /** Sets an RE2 regular expression that must match some part of a string. Numbers are not checked. */
  pattern(expression: string): IntOrStringField<T, P>;
  /** Makes the field optional. */
  optional(): IntOrStringField<T, "optional">;
  /** Allows `null`. */
  nullable(): IntOrStringField<T | null, P>;
  /** Sets the value that the API server uses if the field is missing. */
  default(value: NonNullable<T>): IntOrStringField<T, "defaulted">;
}

/** Builds an int-or-string field. */
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
