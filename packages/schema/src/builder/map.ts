import type { Field, FieldInput, FieldOutput, Presence } from "./field.ts";
import { asDefaulted, asOptional, type FieldMethods, common, dataOf, start, type State, withSchema } from "./state.ts";

/** An object with arbitrary keys and values of one type, such as labels or annotations. */
export interface MapField<Out = object, In = Out, P extends Presence = "required">
  extends Field<Out, In, P>, FieldMethods<MapField<Out, In, P>> {
  /** Sets the minimum number of keys. */
  min(count: number): MapField<Out, In, P>;
  /** Sets the maximum number of keys. Without it the API server estimates a very high cost for rules on the map and its values. */
  max(count: number): MapField<Out, In, P>;
  /** Makes server-side apply replace the map as a whole, instead of merging it key by key. */
  atomic(): MapField<Out, In, P>;
  /** Makes the map optional. */
  optional(): MapField<Out, In, "optional">;
  /** Allows `null`. */
  nullable(): MapField<Out | null, In | null, P>;
  /** Sets the value that the API server uses if the map is missing. */
  default(value: NonNullable<In>): MapField<Out, In, "defaulted">;
}

/** Builds a map field with values of the given field. */
export function mapOf<V extends Field>(
  value: V,
): MapField<{ [key: string]: FieldOutput<V> }, { [key: string]: FieldInput<V> }> {
  return mapField(start({ type: "object", additionalProperties: value.schema }));
}

function mapField<Out, In, P extends Presence>(state: State<P>): MapField<Out, In, P> {
  const same = (next: State<P>): MapField<Out, In, P> => mapField(next);
  return {
    ...dataOf(state),
    ...common(state, same),
    min: (minProperties) => same(withSchema(state, { minProperties })),
    max: (maxProperties) => same(withSchema(state, { maxProperties })),
    atomic: () => same(withSchema(state, { "x-kubernetes-map-type": "atomic" })),
    optional: () => mapField(asOptional(state)),
    nullable: () => mapField(withSchema(state, { nullable: true })),
    default: (value) => mapField(asDefaulted(state, value)),
  };
}
