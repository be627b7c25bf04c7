import { type Problem, required } from "../problem/problem.ts";
import { DefinitionError } from "../problem/definition-error.ts";
import type { Schema } from "../structural/schema.ts";
import type { Field, FieldInput, FieldOutput, Presence } from "./field.ts";
import { asDefaulted, asOptional, type FieldMethods, common, dataOf, start, type State, withSchema } from "./state.ts";

/** The members of a list field, which a list without a type lacks. */
type FieldMember = Exclude<keyof ListField, "~types">;

type Scalar = string | number | boolean;

/** Names of the fields of `T` that can be list map keys: scalars that are always present. */
export type ListKey<T> = T extends Scalar
  ? never
  : { [K in keyof T & string]-?: undefined extends T[K] ? never : T[K] extends Scalar ? K : never }[keyof T & string];

/** {@link ListKey}, or for items without one a message that the compiler shows. */
type KeyName<T> = [ListKey<T>] extends [never]
  ? "the items have no field that can be a key: a required or defaulted string, number or boolean"
  : ListKey<T>;

/** Marks an incomplete definition. The compiler shows `What` wherever the value is used as if it were complete. */
export interface Missing<What extends string> {
  readonly "~missing"?: What;
}

/**
 * A list whose list type, which determines how server-side apply merges it, is not set yet. It cannot be used as a field.
 *
 * There is no default list type on purpose: lists without a type are the most common defect of CRDs, and changing the type later
 * breaks clients that use server-side apply.
 *
 * The interface has the members of a field only with a type that makes their use a compile error which names the missing call.
 */
export interface ListWithoutType<Item extends Field> extends Readonly<
  Record<FieldMember, Missing<'list type: add .set(), .atomic() or .mapBy("name") after s.list(...)'>>
> {
  /** Identifies items by these fields; each item has its own field managers. The usual choice for objects. */
  mapBy(
    ...keys: readonly [KeyName<FieldOutput<Item>>, ...KeyName<FieldOutput<Item>>[]]
  ): ListField<FieldOutput<Item>[], FieldInput<Item>[]>;
  /** Makes items unique; each has its own field managers. For scalars, and for objects and lists that are atomic themselves. */
  set(): ListField<FieldOutput<Item>[], FieldInput<Item>[]>;
  /** Makes the list one value that is replaced as a whole. For lists whose order matters. */
  atomic(): ListField<FieldOutput<Item>[], FieldInput<Item>[]>;
}

/** A list field. */
export interface ListField<Out = unknown[], In = Out, P extends Presence = "required">
  extends Field<Out, In, P>, FieldMethods<ListField<Out, In, P>> {
  /** Sets the minimum number of items. */
  min(count: number): ListField<Out, In, P>;
  /** Sets the maximum number of items. Without it the API server estimates a very high cost for rules on the list and its items. */
  max(count: number): ListField<Out, In, P>;
  /** Makes the list optional. */
  optional(): ListField<Out, In, "optional">;
  /** Allows `null`. */
  nullable(): ListField<Out | null, In | null, P>;
  /** Sets the value that the API server uses if the list is missing. */
  default(value: NonNullable<In>): ListField<Out, In, "defaulted">;
}

/** Builds a list whose list type is not set yet. */
export function listWithoutType<Item extends Field>(item: Item): ListWithoutType<Item> {
  return new UntypedList(item);
}

/** Reports whether a field is a list without a list type. The types exclude this, so only JavaScript callers can pass one. */
export function isListWithoutType(field: object): boolean {
  return field instanceof UntypedList;
}

/** Returns the problem of a list without a list type at a path of a definition. */
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
    return throwMissingType();
  }
  get presence(): never {
    return throwMissingType();
  }
  get guards(): never {
    return throwMissingType();
  }
  get optional(): never {
    return throwMissingType();
  }
  get nullable(): never {
    return throwMissingType();
  }
  get default(): never {
    return throwMissingType();
  }
  get min(): never {
    return throwMissingType();
  }
  get max(): never {
    return throwMissingType();
  }
  get describe(): never {
    return throwMissingType();
  }
  get rule(): never {
    return throwMissingType();
  }
  get immutable(): never {
    return throwMissingType();
  }
  get setOnce(): never {
    return throwMissingType();
  }
}

function throwMissingType(): never {
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
