// Fields with one value: texts, numbers, booleans.

import type { Field, Presence } from "./field.ts";
import { asDefaulted, asOptional, type Common, common, dataOf, type State, withSchema } from "./state.ts";

/** The formats of texts that an API server checks. Others would be ignored by it, so they are not offered. */
export type StringFormat =
  | "bsonobjectid"
  | "byte"
  | "cidr"
  | "creditcard"
  | "date"
  | "date-time"
  | "duration"
  | "email"
  | "hexcolor"
  | "hostname"
  | "ipv4"
  | "ipv6"
  | "isbn"
  | "isbn10"
  | "isbn13"
  | "k8s-long-name"
  | "k8s-short-name"
  | "mac"
  | "password"
  | "rgbcolor"
  | "ssn"
  | "uri"
  | "uuid"
  | "uuid3"
  | "uuid4"
  | "uuid5";

/** A text. `T` is `string`, or the union of the texts it may be. */
export interface StringField<T extends string | null = string, P extends Presence = "required">
  extends Field<T, T, P>, Common<StringField<T, P>> {
  /** The smallest number of characters. */
  min(length: number): StringField<T, P>;
  /** The largest number of characters. Rules on a text without it are taken to be costly. */
  max(length: number): StringField<T, P>;
  /** A regular expression of RE2 that must match somewhere in the text; anchor it with `^` and `$`. */
  pattern(expression: string): StringField<T, P>;
  format(format: StringFormat): StringField<T, P>;
  /** The only texts allowed. */
  enum<const V extends string>(...values: readonly [V, ...V[]]): StringField<V | Extract<T, null>, P>;
  /** Lets the field be left out. */
  optional(): StringField<T, "optional">;
  /** Lets the field be `null`. */
  nullable(): StringField<T | null, P>;
  /** What the API server fills in when the field is left out. */
  default(value: NonNullable<T>): StringField<T, "defaulted">;
}

/** A text field in this state. */
export function stringField<T extends string | null, P extends Presence>(state: State<P>): StringField<T, P> {
  const same = (next: State<P>): StringField<T, P> => stringField(next);
  return {
    ...dataOf(state),
    ...common(state, same),
    min: (minLength) => same(withSchema(state, { minLength })),
    max: (maxLength) => same(withSchema(state, { maxLength })),
    pattern: (pattern) => same(withSchema(state, { pattern })),
    format: (format) => same(withSchema(state, { format })),
    enum: (...values) => stringField(withSchema(state, { enum: values })),
    optional: () => stringField(asOptional(state)),
    nullable: () => stringField(withSchema(state, { nullable: true })),
    default: (value) => stringField(asDefaulted(state, value)),
  };
}

/** A number, whole or not. `T` is `number`, or the union of the numbers it may be. */
export interface NumberField<T extends number | null = number, P extends Presence = "required">
  extends Field<T, T, P>, Common<NumberField<T, P>> {
  /** The smallest value. */
  min(value: number): NumberField<T, P>;
  /** The largest value. */
  max(value: number): NumberField<T, P>;
  /** The value must be greater than this. */
  above(value: number): NumberField<T, P>;
  /** The value must be less than this. */
  below(value: number): NumberField<T, P>;
  multipleOf(value: number): NumberField<T, P>;
  /** The only numbers allowed. */
  enum<const V extends number>(...values: readonly [V, ...V[]]): NumberField<V | Extract<T, null>, P>;
  /** Lets the field be left out. */
  optional(): NumberField<T, "optional">;
  /** Lets the field be `null`. */
  nullable(): NumberField<T | null, P>;
  /** What the API server fills in when the field is left out. */
  default(value: NonNullable<T>): NumberField<T, "defaulted">;
}

/** A number field in this state. */
export function numberField<T extends number | null, P extends Presence>(state: State<P>): NumberField<T, P> {
  const same = (next: State<P>): NumberField<T, P> => numberField(next);
  return {
    ...dataOf(state),
    ...common(state, same),
    min: (minimum) => same(withSchema(state, { minimum })),
    max: (maximum) => same(withSchema(state, { maximum })),
    above: (minimum) => same(withSchema(state, { minimum, exclusiveMinimum: true })),
    below: (maximum) => same(withSchema(state, { maximum, exclusiveMaximum: true })),
    multipleOf: (multipleOf) => same(withSchema(state, { multipleOf })),
    enum: (...values) => numberField(withSchema(state, { enum: values })),
    optional: () => numberField(asOptional(state)),
    nullable: () => numberField(withSchema(state, { nullable: true })),
    default: (value) => numberField(asDefaulted(state, value)),
  };
}

/** A truth value. */
export interface BoolField<T extends boolean | null = boolean, P extends Presence = "required">
  extends Field<T, T, P>, Common<BoolField<T, P>> {
  /** Lets the field be left out. */
  optional(): BoolField<T, "optional">;
  /** Lets the field be `null`. */
  nullable(): BoolField<T | null, P>;
  /** What the API server fills in when the field is left out. */
  default(value: NonNullable<T>): BoolField<T, "defaulted">;
}

/** A truth value in this state. */
export function boolField<T extends boolean | null, P extends Presence>(state: State<P>): BoolField<T, P> {
  return {
    ...dataOf(state),
    ...common(state, (next: State<P>): BoolField<T, P> => boolField(next)),
    optional: () => boolField(asOptional(state)),
    nullable: () => boolField(withSchema(state, { nullable: true })),
    default: (value) => boolField(asDefaulted(state, value)),
  };
}
