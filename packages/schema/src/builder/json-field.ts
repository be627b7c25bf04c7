import type { Field, Presence } from "./field.ts";
import { asDefaulted, asOptional, type Common, common, dataOf, type State, withSchema } from "./state.ts";

/** Any JSON at all; the API server keeps it as it is. CEL rules cannot see it. */
export interface JsonField<T = unknown, P extends Presence = "required">
  extends Field<T, T, P>, Common<JsonField<T, P>> {
  /** Lets the field be left out. */
  optional(): JsonField<T, "optional">;
  /** Lets the field be `null`. */
  nullable(): JsonField<T | null, P>;
  /** What the API server fills in when the field is left out. */
  default(value: NonNullable<T>): JsonField<T, "defaulted">;
}

/** A field of any JSON in this state. */
export function jsonField<T, P extends Presence>(state: State<P>): JsonField<T, P> {
  return {
    ...dataOf(state),
    ...common(state, (next: State<P>): JsonField<T, P> => jsonField(next)),
    optional: () => jsonField(asOptional(state)),
    nullable: () => jsonField(withSchema(state, { nullable: true })),
    default: (value) => jsonField(asDefaulted(state, value)),
  };
}
