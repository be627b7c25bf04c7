import { type Problem, required } from "../problem/problem.ts";
import { DefinitionError } from "../resource/definition-error.ts";
import type { Schema } from "../structural/schema.ts";
import type { Field, FieldInput, FieldOutput, Presence } from "./field.ts";
import { asDefaulted, asOptional, type Common, common, dataOf, start, type State, withSchema } from "./state.ts";

/** The members that a list field has and a list without a type has not. */
type FieldMember = Exclude<keyof ListField, "~types">;

type Scalar = string | number | boolean;

/** The names of the fields of `T` that can tell its items apart: scalars that are always there. */
export type ListKey<T> = T extends Scalar
  ? never
  : { [K in keyof T & string]-?: undefined extends T[K] ? never : T[K] extends Scalar ? K : never }[keyof T & string];

/** {@link ListKey}, or for items without one the reason, which the compiler shows. */
type KeyName<T> = [ListKey<T>] extends [never]
  ? "the items have no field that can be a key: a required or defaulted string, number or boolean"
  : ListKey<T>;

/** Something that a definition lacks. The compiler shows `What` wherever the value is used as if it were complete. */
export interface Missing<What extends string> {
  readonly "~missing"?: What;
}

/**
 * A list that has yet to say how server-side apply merges it; it is no field before that.
 *
 * There is no default on purpose: lists without a type are the most common fault of a CRD, and the type
 * cannot be changed later without breaking those who apply.
 *
 * The members of a field are here to say so: a program that uses one does not compile, and the error names what to add.
 */
export interface ListWithoutType<Item extends Field> extends Readonly<
  Record<FieldMember, Missing<'list type: add .set(), .atomic() or .mapBy("name") after s.list(...)'>>
> {
  /** Items are told apart by these of their fields; each has its own owner. The usual choice for objects. */
  mapBy(
    ...keys: readonly [KeyName<FieldOutput<Item>>, ...KeyName<FieldOutput<Item>>[]]
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
  return new UntypedList(item);
}

/** Reports whether a field is a list that does not say how it merges, which only a program without types can try. */
export function isListWithoutType(field: object): boolean {
  return field instanceof UntypedList;
}

/** The problem of a list without a type at a place in a definition. */
export function listTypeMissing(path: string): Problem {
  return required(
    path,
    'add .set(), .atomic() or .mapBy("name") after s.list(...), so that server-side apply can merge the list',
  );
}

class UntypedList<Item extends Field> implements ListWithoutType<Item> {
  readonly #items: Schema;

  constructor({ schema }: Item) {
    this.#items = schema;
  }

  mapBy(...keys: readonly string[]): ListField<FieldOutput<Item>[], FieldInput<Item>[]> {
    return this.#typed({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys });
  }

  set(): ListField<FieldOutput<Item>[], FieldInput<Item>[]> {
    return this.#typed({ "x-kubernetes-list-type": "set" });
  }

  atomic(): ListField<FieldOutput<Item>[], FieldInput<Item>[]> {
    return this.#typed({ "x-kubernetes-list-type": "atomic" });
  }

  #typed(extensions: Schema): ListField<FieldOutput<Item>[], FieldInput<Item>[]> {
    return listField(start({ type: "array", items: this.#items, ...extensions }));
  }

  get schema(): never {
    return refuse();
  }
  get presence(): never {
    return refuse();
  }
  get guards(): never {
    return refuse();
  }
  get optional(): never {
    return refuse();
  }
  get nullable(): never {
    return refuse();
  }
  get default(): never {
    return refuse();
  }
  get min(): never {
    return refuse();
  }
  get max(): never {
    return refuse();
  }
  get describe(): never {
    return refuse();
  }
  get rule(): never {
    return refuse();
  }
  get immutable(): never {
    return refuse();
  }
  get setOnce(): never {
    return refuse();
  }
}

function refuse(): never {
  throw new DefinitionError("a list", [listTypeMissing("s.list(...)")]);
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
