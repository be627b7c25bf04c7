import type { Schema } from "../structural/schema.ts";
import type { Guard } from "./guard.ts";

/**
 * Presence of a field.
 *
 * - `required`: must be written, and is always present when read.
 * - `optional`: may be missing when written and when read.
 * - `defaulted`: may be missing when written, and is always present when read.
 */
export type Presence = "required" | "optional" | "defaulted";

/**
 * A field of a resource: its structural schema, and the TypeScript types of values that are read (`Out`) and written (`In`).
 *
 * Fields are created by the builder `s`. They are immutable: every method returns a new field.
 */
export interface Field<Out = unknown, In = unknown, P extends Presence = Presence> {
  /** The structural schema of this field, as it appears in the CRD. */
  readonly schema: Schema;
  readonly presence: P;
  /** Presence constraints of immutable fields at or below this field; the enclosing objects turn them into rules. */
  readonly guards: readonly Guard[];
  /** Carries the types `Out` and `In`. Never set at run time. */
  readonly "~types"?: { readonly out: Out; readonly in: In };
}

/** The fields of an object, by name. */
export interface Fields {
  readonly [name: string]: Field;
}

/** Type of a value that is read from a field. */
export type FieldOutput<F extends Field> = NonNullable<F["~types"]>["out"];

/** Type of a value that may be written to a field. */
export type FieldInput<F extends Field> = NonNullable<F["~types"]>["in"];

/** Type of an object with these fields that is read: defaulted fields are present. */
export type FieldsOutput<F extends Fields> = Flatten<
  { -readonly [K in keyof F as F[K]["presence"] extends "optional" ? never : K]: FieldOutput<F[K]> } & {
    -readonly [K in keyof F as F[K]["presence"] extends "optional" ? K : never]?: FieldOutput<F[K]>;
  }
>;

/** Type of an object with these fields that is written: defaulted fields are optional. */
export type FieldsInput<F extends Fields> = Flatten<
  { -readonly [K in keyof F as F[K]["presence"] extends "required" ? K : never]: FieldInput<F[K]> } & {
    -readonly [K in keyof F as F[K]["presence"] extends "required" ? never : K]?: FieldInput<F[K]>;
  }
>;

/** Turns an intersection into one object type, so that editors show its properties. */
export type Flatten<T> = T extends unknown ? { [K in keyof T]: T[K] } : never;
