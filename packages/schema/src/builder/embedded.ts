import type { Schema } from "../structural/schema.ts";

/**
 * A type described by hand: its name, its structural schema, and for the compiler the type of its values.
 *
 * The types of Kubernetes itself come ready from `@homeostat/kubernetes`, as `EmbeddedType`.
 *
 * @example
 * const mount: DescribedType<Mount> = { name: "Mount", schema: { type: "object", properties: { … } } };
 */
export interface DescribedType<T> {
  readonly name: string;
  readonly schema: Schema;
  /** For the compiler only. */
  readonly "~type"?: T;
}
