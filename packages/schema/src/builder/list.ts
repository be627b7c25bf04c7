import type { Schema } from "../structural/schema.ts";
import type { Field, FieldInput, FieldOutput, Presence } from "./field.ts";
import { asDefaulted, asOptional, type Common, common, dataOf, start, type State, withSchema } from "./state.ts";

type Scalar = string | number | boolean;

/** The names of the fields of `T` that can tell its items apart: scalars that are always there. */
export type ListKey<T> = T extends Scalar
  ? never
  : { [K in keyof T & string]-?: undefined extends T[K] ? never : T[K] extends Scalar ? K : never }[keyof T & string];

/**
 * A list that has yet to say how server-side apply merges it; it is no field before that.
 *
 * There is no default on purpose: lists without a type are the most common fault of a CRD, and the type
 * cannot be changed later without breaking those who apply.
 */
export interface ListWithoutType<Item extends Field> {
  /** Items are told apart by these of their fields; each has its own owner. The usual choice for objects. */
  mapBy(
    ...keys: readonly [ListKey<FieldOutput<Item>>, ...ListKey<FieldOutput<Item>>[]]
  ): ListField<FieldOutput<Item>[], FieldInput<Item>[]>;
  /** Every item occurs once and has its own owner. For scalars, and for objects and lists that are atomic themselves. */
  set(): ListField<FieldOutput<Item>[], FieldInput<Item>[]>;
  /** The whole list is one value with one owner. The choice where order matters. */
  atomic(): ListField<FieldOutput<Item>[], FieldInput<Item>[]>;
}

/** A list. */
export interface ListField<Out = unknown[], In = Out, P extends Presence = "required">
  extends Field<Out, In, P>, Common<ListField<Out, In, P>> {
  /** The smallest number of items. */
  min(count: number): ListField<Out, In, P>;
  /** The largest number of items. Rules inside a list without it are taken to be costly. */
  max(count: number): ListField<Out, In, P>;
  /** Lets the list be left out. */
  optional(): ListField<Out, In, "optional">;
  /** Lets the list be `null`. */
  nullable(): ListField<Out | null, In | null, P>;
  /** What the API server fills in when the list is left out. */
  default(value: NonNullable<In>): ListField<Out, In, "defaulted">;
}

/** A list of such items, which has yet to say how it merges. */
export function listWithoutType<Item extends Field>(item: Item): ListWithoutType<Item> {
  const typed = (extensions: Schema): ListField<FieldOutput<Item>[], FieldInput<Item>[]> =>
    listField(start({ type: "array", items: item.schema, ...extensions }));
  return {
    mapBy: (...keys) => typed({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys }),
    set: () => typed({ "x-kubernetes-list-type": "set" }),
    atomic: () => typed({ "x-kubernetes-list-type": "atomic" }),
  };
}

function listField<Out, In, P extends Presence>(state: State<P>): ListField<Out, In, P> {
  const same = (next: State<P>): ListField<Out, In, P> => listField(next);
  return {
    ...dataOf(state),
    ...common(state, same),
    min: (minItems) => same(withSchema(state, { minItems })),
    max: (maxItems) => same(withSchema(state, { maxItems })),
    optional: () => listField(asOptional(state)),
    nullable: () => listField(withSchema(state, { nullable: true })),
    default: (value) => listField(asDefaulted(state, value)),
  };
}
