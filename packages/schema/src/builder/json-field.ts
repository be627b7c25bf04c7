import type { Field, Presence } from "./field.ts";
import { asDefaulted, asOptional, type FieldMethods, common, dataOf, type State, withSchema } from "./state.ts";

/** A field that accepts any JSON. The API server stores it unchanged; CEL rules cannot access it. */
export interface JsonField<T = unknown, P extends Presence = "required">
  extends Field<T, T, P>, FieldMethods<JsonField<T, P>> {
  /** Makes the field optional. */
  optional(): JsonField<T, "optional">;
  /** Allows `null`. */
  nullable(): JsonField<T | null, P>;
  /** Sets the value that the API server uses if the field is missing. */
  default(value: NonNullable<T>): JsonField<T, "defaulted">;
}

/** Builds a field that accepts any JSON. */
export function jsonField<T, P extends Presence>(state: State<P>): JsonField<T, P> {
  return {
    ...dataOf(state),
    ...common(state, (next: State<P>): JsonField<T, P> => jsonField(next)),
    optional: () => jsonField(asOptional(state)),
    nullable: () => jsonField(withSchema(state, { nullable: true })),
    default: (value) => jsonField(asDefaulted(state, value)),
  };
}
