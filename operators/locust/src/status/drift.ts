import { conditions } from "./conditions.ts";
import type { StatusPlan } from "./plan.ts";

/** Whether the spec has changed since the objects of a run were made from it. */
export function isDrifted(generation: number, startedGeneration: number | undefined): boolean {
  return startedGeneration !== undefined && generation > startedGeneration;
}

/** What the status says about the generation of the spec, and about changes that came too late. */
export function driftPlan(generation: number, startedGeneration: number | undefined): StatusPlan {
  return {
    fields: { observedGeneration: generation, ...(startedGeneration === undefined ? {} : { startedGeneration }) },
    conditions: isDrifted(generation, startedGeneration) ? { SpecDrifted: conditions.SpecDrifted.ignored } : {},
  };
}
