import { once } from "@homeostat/core";
import { s } from "../builder/s.ts";
import type { ListField } from "../builder/list.ts";

/** One condition in the status of an object, of a type out of `T` with a reason out of `R`. */
export interface Condition<T extends string = string, R extends string = string> {
  type: T;
  status: "True" | "False" | "Unknown";
  /** A word in CamelCase for programs. */
  reason: R;
  /** A sentence for people; may be empty. */
  message: string;
  /** When `status` last changed. */
  lastTransitionTime: string;
  /** The generation of the object that this was found out about. */
  observedGeneration?: number;
}

/**
 * The condition types of a kind: a list of types, or the reasons of each type.
 *
 * @example
 * conditions: ["Ready", "Degraded"]
 * conditions: { Ready: ["RolloutComplete", "Waiting"], Degraded: ["ImagePull", "CrashLoop"] }
 */
export type ConditionsDefinition = readonly string[] | ConditionReasons;

/** The reasons of conditions, by condition type. */
export interface ConditionReasons {
  readonly [type: string]: readonly string[];
}

/** The condition types that a definition declares. */
export type ConditionTypeIn<C extends ConditionsDefinition> = C extends readonly (infer N extends string)[]
  ? N
  : keyof C & string;

/**
 * A condition as a definition declares it. With reasons it is a union with one member per type, so that narrowing by `type`
 * also narrows `reason`; without, the reason is any string.
 */
export type ConditionIn<C extends ConditionsDefinition> = C extends readonly (infer N extends string)[]
  ? Condition<N>
  : { [N in keyof C & string]: C[N] extends readonly (infer R extends string)[] ? Condition<N, R> : never }[keyof C &
      string];

/** The reasons by condition type; a type declared without reasons has an empty list. */
export function conditionReasons(definition: ConditionsDefinition = []): ConditionReasons {
  return isTypeList(definition) ? Object.fromEntries(definition.map((type) => [type, []])) : definition;
}

/** The condition types that a definition declares, in order. */
export function conditionTypes(definition: ConditionsDefinition = []): readonly string[] {
  return isTypeList(definition) ? definition : Object.keys(definition);
}

/** Reports whether a definition lists types without reasons. */
export function isTypeList(definition: ConditionsDefinition): definition is readonly string[] {
  return Array.isArray(definition);
}

/**
 * The field `status.conditions`, with the schema that Kubernetes uses for its own conditions.
 *
 * Types and reasons are a promise to the compiler and to readers. The schema accepts others too: older or newer versions of a
 * controller, and other controllers, may write conditions of their own.
 */
export const conditionsField: () => ListField<unknown[], unknown[], "optional"> = once(() =>
  s
    .list(
      s.object({
        type: s
          .string()
          .max(316)
          .pattern(
            String.raw`^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$`,
          )
          .describe("What the condition is about, in CamelCase."),
        status: s.enum("True", "False", "Unknown").describe("Whether the condition holds."),
        reason: s
          .string()
          .min(1)
          .max(1024)
          .pattern("^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$")
          .describe("A word in CamelCase for programs: why the status is what it is."),
        message: s.string().max(32768).describe("A sentence for people. May be empty."),
        lastTransitionTime: s.time().describe("When the status last changed."),
        observedGeneration: s.int64().min(0).optional().describe("The generation of the object this is about."),
      }),
    )
    .mapBy("type")
    .describe("How it is going, aspect by aspect.")
    .optional(),
);
