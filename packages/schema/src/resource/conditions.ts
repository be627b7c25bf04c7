import { once } from "@homeostat/core";
import { s } from "../builder/s.ts";
import type { ListField } from "../builder/list.ts";

/** A condition in the status of an object, with the types `T` and the reasons `R`. The same as `metav1.Condition`. */
export interface Condition<T extends string = string, R extends string = string> {
  type: T;
  status: "True" | "False" | "Unknown";
  /** Machine-readable reason of the last change, in CamelCase. */
  reason: R;
  /** Human-readable details. May be empty. */
  message: string;
  /** Time at which `status` last changed, in RFC 3339. */
  lastTransitionTime: string;
  /** Value of `metadata.generation` that the condition was computed from. */
  observedGeneration?: number;
}

/**
 * Condition types of a kind: a list of types, or an object with the reasons of each type.
 *
 * @example
 * conditions: ["Ready", "Degraded"]
 * conditions: { Ready: ["RolloutComplete", "Waiting"], Degraded: ["ImagePull", "CrashLoop"] }
 */
export type ConditionsDefinition = readonly string[] | ConditionReasons;

/** Reasons by condition type. */
export interface ConditionReasons {
  readonly [type: string]: readonly string[];
}

/** Union of the condition types that a definition declares. */
export type ConditionTypeIn<C extends ConditionsDefinition> = C extends readonly (infer N extends string)[]
  ? N
  : keyof C & string;

/**
 * Type of the conditions that a definition declares. If it declares reasons, this is a union with one member per condition
 * type, so that narrowing by `type` also narrows `reason`. Otherwise the reason is any string.
 */
export type ConditionIn<C extends ConditionsDefinition> = C extends readonly (infer N extends string)[]
  ? Condition<N>
  : { [N in keyof C & string]: C[N] extends readonly (infer R extends string)[] ? Condition<N, R> : never }[keyof C &
      string];

/** Returns the reasons by condition type. A type that is declared without reasons has an empty list. */
export function conditionReasons(definition: ConditionsDefinition = []): ConditionReasons {
  return isTypeList(definition) ? Object.fromEntries(definition.map((type) => [type, []])) : definition;
}

/** Returns the condition types that a definition declares, in order. */
export function conditionTypes(definition: ConditionsDefinition = []): readonly string[] {
  return isTypeList(definition) ? definition : Object.keys(definition);
}

/** Reports whether a definition is a list of types without reasons. */
export function isTypeList(definition: ConditionsDefinition): definition is readonly string[] {
  return Array.isArray(definition);
}

/**
 * Returns the field `status.conditions`, with the schema of `metav1.Condition`.
 *
 * The declared types and reasons restrict only the TypeScript types. The schema accepts others too, because older or newer
 * versions of the controller, and other controllers, may write conditions of their own.
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
          .describe("Type of the condition, in CamelCase."),
        status: s.enum("True", "False", "Unknown").describe("Status of the condition: True, False or Unknown."),
        reason: s
          .string()
          .min(1)
          .max(1024)
          .pattern("^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$")
          .describe("Machine-readable reason for the last transition, in CamelCase."),
        message: s.string().max(32768).describe("Human-readable details about the last transition. May be empty."),
        lastTransitionTime: s.time().describe("Time at which the status last changed."),
        observedGeneration: s
          .int64()
          .min(0)
          .optional()
          .describe("Value of metadata.generation that the condition was computed from."),
      }),
    )
    .mapBy("type")
    .describe("Latest observations of the state of the object, one per condition type.")
    .optional(),
);
