import type { Field, FieldInput, FieldOutput, Presence } from "./field.ts";
import { asDefaulted, asOptional, type Common, common, dataOf, start, type State, withSchema } from "./state.ts";

/** An object whose keys the user chooses, with values of one kind: labels, annotations, settings. */
export interface MapField<Out = object, In = Out, P extends Presence = "required">
  extends Field<Out, In, P>, Common<MapField<Out, In, P>> {
  /** The smallest number of keys. */
  min(count: number): MapField<Out, In, P>;
  /** The largest number of keys. Rules inside a map without it are taken to be costly. */
  max(count: number): MapField<Out, In, P>;
  /** Makes server-side apply take the map as one value with one owner, instead of each key by itself. */
  atomic(): MapField<Out, In, P>;
  /** Lets the map be left out. */
  optional(): MapField<Out, In, "optional">;
  /** Lets the map be `null`. */
  nullable(): MapField<Out | null, In | null, P>;
  /** What the API server fills in when the map is left out. */
  default(value: NonNullable<In>): MapField<Out, In, "defaulted">;
}

/** A map with such values. */
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
