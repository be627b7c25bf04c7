import type { DeepReadonly } from "@homeostat/core";

/** The type of the `status` of a kind; `never` for a kind without one. */
export type StatusOf<T> = T extends { status?: infer S } ? NonNullable<S> : never;

/** The condition types that a kind declares; any string where it declares none. */
export type ConditionTypeOf<T> =
  StatusOf<T> extends { conditions?: infer C }
    ? NonNullable<C> extends readonly { type: infer N extends string }[]
      ? N
      : string
    : string;

/**
 * Status fields to set; `undefined` removes a field, and fields that are not named stay unchanged.
 *
 * `conditions` is listed with the type `never`, because conditions are set by `setCondition`. Without it, a kind whose status has only
 * conditions would get a type without properties, to which the compiler lets any object be assigned.
 */
export type StatusChange<T> = {
  readonly [K in keyof StatusOf<T> | "conditions"]?: K extends Exclude<keyof StatusOf<T>, "conditions">
    ? DeepReadonly<StatusOf<T>[K]> | undefined
    : never;
};

/** The reasons that a kind declares for conditions of type `C`; any string where it declares none. */
export type ConditionReasonOf<T, C extends ConditionTypeOf<T> = ConditionTypeOf<T>> =
  StatusOf<T> extends { conditions?: infer L }
    ? NonNullable<L> extends readonly (infer Member)[]
      ? ReasonIn<Member, C>
      : string
    : string;

/** The reasons of those members of a union of conditions that have the type `C`. */
type ReasonIn<Member, C> = Member extends { type: infer N }
  ? [C & N] extends [never]
    ? never
    : Member extends { reason?: infer R }
      ? NonNullable<R> extends string
        ? NonNullable<R>
        : string
      : string
  : never;

/** The desired value of a condition. `true` is `"True"`; the message may be omitted. */
export interface ConditionValue<R extends string = string> {
  readonly status: boolean | "True" | "False" | "Unknown";
  /** Machine-readable reason in CamelCase: `RolloutComplete`. */
  readonly reason: R;
  readonly message?: string;
}

/** Conditions to set, by type; `undefined` removes a condition, and types that are not named stay as they are. */
export type ConditionChanges<T> = {
  readonly [C in ConditionTypeOf<T>]?: ConditionValue<ConditionReasonOf<T, C>> | undefined;
};

/** The changes to a status that a reconcile decided on: fields and conditions together. */
export interface StatusPlan<T> {
  readonly fields: StatusChange<T>;
  readonly conditions: ConditionChanges<T>;
}
