import type { Schema } from "../structural/schema.ts";

/**
 * A hand-written type to embed: its name, its structural schema, and the TypeScript type of its values.
 *
 * The types of Kubernetes itself are exported by `@homeostat/kubernetes`, as `EmbeddedType`.
 *
 * @example
 * const mount: DescribedType<Mount> = { name: "Mount", schema: { type: "object", properties: { … } } };
 */
export interface DescribedType<T> {
  readonly name: string;
  readonly schema: Schema;
  /** Carries the type `T`. Never set at run time. */
  readonly "~type"?: T;
}
