import type { ObjectMeta } from "@homeostat/core";
import type { Field, Fields, FieldsInput, FieldsOutput, Flatten, FieldInput, FieldOutput } from "../builder/field.ts";
import type { ConditionIn, ConditionsDefinition } from "./conditions.ts";
import type { Part, VersionDefinition } from "./definition.ts";

/** Type of an object that is read: fields with defaults are always present. */
export type ReadType<
  A extends string,
  K extends string,
  S extends Part,
  T extends Part,
  C extends ConditionsDefinition,
> = Flatten<{ apiVersion: A; kind: K; metadata: ObjectMeta } & FieldsOutput<BodyFields<S, T, C>>>;

/** Type of an object that is written: fields with defaults are optional. */
export type WriteType<
  A extends string,
  K extends string,
  S extends Part,
  T extends Part,
  C extends ConditionsDefinition,
> = Flatten<{ apiVersion: A; kind: K; metadata: ObjectMeta } & FieldsInput<BodyFields<S, T, C>>>;

// TypeScript infers `never` for a part that the definition omits.
type BodyFields<S extends Part, T extends Part, C extends ConditionsDefinition> = {
  [N in "spec" | "status" as N extends "spec" ? IsGiven<S, N> : IsGiven<T | C, N>]: N extends "spec"
    ? SpecField<S>
    : StatusField<T, C>;
};

type IsGiven<X, N> = [X] extends [never] ? never : N;

type SpecField<S extends Part> = S extends Field
  ? S
  : S extends Fields
    ? Field<FieldsOutput<S>, FieldsInput<S>, "required">
    : never;

type StatusField<T extends Part, C extends ConditionsDefinition> = [T] extends [never]
  ? Field<Flatten<Conditions<C>>, Flatten<Conditions<C>>, "optional">
  : T extends Field
    ? Field<WithConditions<FieldOutput<T>, C>, WithConditions<FieldInput<T>, C>, T["presence"]>
    : T extends Fields
      ? Field<WithConditions<FieldsOutput<T>, C>, WithConditions<FieldsInput<T>, C>, "optional">
      : never;

type WithConditions<Status, C extends ConditionsDefinition> = [C] extends [never]
  ? Status
  : Flatten<Status & Conditions<C>>;

type Conditions<C extends ConditionsDefinition> = { conditions?: ConditionIn<C>[] };

/** The {@link ReadType} of an inferred version definition. */
export type ReadTypeOf<A extends string, K extends string, D extends VersionDefinition> = ReadType<
  A,
  K,
  PartOf<D, "spec">,
  PartOf<D, "status">,
  ConditionsOf<D>
>;

/** The {@link WriteType} of an inferred version definition. */
export type WriteTypeOf<A extends string, K extends string, D extends VersionDefinition> = WriteType<
  A,
  K,
  PartOf<D, "spec">,
  PartOf<D, "status">,
  ConditionsOf<D>
>;

type PartOf<D, N extends "spec" | "status"> = D extends { readonly [K in N]: infer P extends Part } ? P : never;
type ConditionsOf<D> = D extends { readonly conditions: infer X extends ConditionsDefinition } ? X : never;
