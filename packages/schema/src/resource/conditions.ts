import { once } from "@homeostat/core";
import { s } from "../builder/s.ts";
import type { ListField } from "../builder/list.ts";

/** One condition in the status of an object, of a type out of `T`. */
export interface Condition<T extends string = string> {
  type: T;
  status: "True" | "False" | "Unknown";
  /** A word in CamelCase for programs. */
  reason: string;
  /** A sentence for people; may be empty. */
  message: string;
  /** When `status` last changed. */
  lastTransitionTime: string;
  /** The generation of the object that this was found out about. */
  observedGeneration?: number;
}

/**
 * The field `status.conditions`, with the schema that Kubernetes uses for its own conditions.
 *
 * The names are a promise to the compiler and to readers; the schema takes others too, as older or newer versions of a
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
