import type { Schema } from "../structural/schema.ts";
import type { Guard } from "./guard.ts";

/**
 * Whether a field is there.
 *
 * - `required`: the writer gives it.
 * - `optional`: it may be missing, for writer and reader.
 * - `defaulted`: the writer may leave it out, the reader always finds it.
 */
export type Presence = "required" | "optional" | "defaulted";

/**
 * One field of a resource: its structural schema, and for the compiler the type that is read (`Out`) and the type that
 * may be written (`In`).
 *
 * Fields come from the builder `s`; they are values and never change, every method returns a new one.
 */
export interface Field<Out = unknown, In = unknown, P extends Presence = Presence> {
  /** The structural schema of this field, as the manifest carries it. */
  readonly schema: Schema;
  readonly presence: P;
  /** What must not appear or disappear on update; the surrounding objects turn it into rules. */
  readonly guards: readonly Guard[];
  /** For the compiler only. */
  readonly "~types"?: { readonly out: Out; readonly in: In };
}

/** The fields of an object, by name. */
export interface Fields {
  readonly [name: string]: Field;
}

/** What is read from a field. */
export type FieldOutput<F extends Field> = NonNullable<F["~types"]>["out"];

/** What may be written to a field. */
export type FieldInput<F extends Field> = NonNullable<F["~types"]>["in"];

/** What is read from an object with these fields: defaulted ones are there. */
export type FieldsOutput<F extends Fields> = Flatten<
  { -readonly [K in keyof F as F[K]["presence"] extends "optional" ? never : K]: FieldOutput<F[K]> } & {
    -readonly [K in keyof F as F[K]["presence"] extends "optional" ? K : never]?: FieldOutput<F[K]>;
  }
>;

/** What may be written as an object with these fields: defaulted ones may be left out. */
export type FieldsInput<F extends Fields> = Flatten<
  { -readonly [K in keyof F as F[K]["presence"] extends "required" ? K : never]: FieldInput<F[K]> } & {
    -readonly [K in keyof F as F[K]["presence"] extends "required" ? never : K]?: FieldInput<F[K]>;
  }
>;

/** One object type in place of an intersection, so that an editor shows properties and not the way they came about. */
export type Flatten<T> = T extends unknown ? { [K in keyof T]: T[K] } : never;
