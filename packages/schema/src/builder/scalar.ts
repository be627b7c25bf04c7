// Scalar fields: strings, numbers, booleans.

import type { Field, Presence } from "./field.ts";
import { asDefaulted, asOptional, type FieldMethods, common, dataOf, type State, withSchema } from "./state.ts";

/** The string formats that the API server validates. It ignores all others, so the builder does not offer them. */
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

/** A string field. `T` is `string`, or the union of the allowed strings. */
export interface StringField<T extends string | null = string, P extends Presence = "required">
  extends Field<T, T, P>, FieldMethods<StringField<T, P>> {
  /** Sets the minimum number of characters. */
  min(length: number): StringField<T, P>;
  /** Sets the maximum number of characters. Without it the API server estimates a very high cost for rules on the string. */
  max(length: number): StringField<T, P>;
  /** Sets an RE2 regular expression that must match some part of the string. Anchor it with `^` and `$` to match all of it. */
  pattern(expression: string): StringField<T, P>;
  format(format: StringFormat): StringField<T, P>;
  /** Sets the allowed strings. */
  enum<const V extends string>(...values: readonly [V, ...V[]]): StringField<V | Extract<T, null>, P>;
  /** Makes the field optional. */
  optional(): StringField<T, "optional">;
  /** Allows `null`. */
  nullable(): StringField<T | null, P>;
  /** Sets the value that the API server uses if the field is missing. */
  default(value: NonNullable<T>): StringField<T, "defaulted">;
}

/** Builds a string field. */
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

/** An integer or floating-point field. `T` is `number`, or the union of the allowed numbers. */
export interface NumberField<T extends number | null = number, P extends Presence = "required">
  extends Field<T, T, P>, FieldMethods<NumberField<T, P>> {
  /** Sets the minimum, inclusive. */
  min(value: number): NumberField<T, P>;
  /** Sets the maximum, inclusive. */
  max(value: number): NumberField<T, P>;
  /** Sets the minimum, exclusive. */
  above(value: number): NumberField<T, P>;
  /** Sets the maximum, exclusive. */
  below(value: number): NumberField<T, P>;
  multipleOf(value: number): NumberField<T, P>;
  /** Sets the allowed numbers. */
  enum<const V extends number>(...values: readonly [V, ...V[]]): NumberField<V | Extract<T, null>, P>;
  /** Makes the field optional. */
  optional(): NumberField<T, "optional">;
  /** Allows `null`. */
  nullable(): NumberField<T | null, P>;
  /** Sets the value that the API server uses if the field is missing. */
  default(value: NonNullable<T>): NumberField<T, "defaulted">;
}

/** Builds a number field. */
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

/** A boolean field. */
export interface BoolField<T extends boolean | null = boolean, P extends Presence = "required">
  extends Field<T, T, P>, FieldMethods<BoolField<T, P>> {
  /** Makes the field optional. */
  optional(): BoolField<T, "optional">;
  /** Allows `null`. */
  nullable(): BoolField<T | null, P>;
  /** Sets the value that the API server uses if the field is missing. */
  default(value: NonNullable<T>): BoolField<T, "defaulted">;
}

/** Builds a boolean field. */
export function boolField<T extends boolean | null, P extends Presence>(state: State<P>): BoolField<T, P> {
  return {
    ...dataOf(state),
    ...common(state, (next: State<P>): BoolField<T, P> => boolField(next)),
    optional: () => boolField(asOptional(state)),
    nullable: () => boolField(withSchema(state, { nullable: true })),
    default: (value) => boolField(asDefaulted(state, value)),
  };
}
