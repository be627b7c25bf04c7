import type { DeepReadonly } from "@homeostat/core";
import type { LocustTest } from "../api/locust-test.ts";
import { conditions } from "./conditions.ts";
import type { StatusPlan } from "./plan.ts";

/** Whether the spec has changed since the objects of the run were made from it. */
export function isDrifted({ metadata, status }: DeepReadonly<LocustTest>): boolean {
  const { phase, startedGeneration } = status ?? {};
  if (phase === undefined || phase === "Pending" || startedGeneration === undefined) return false;
  return (metadata.generation ?? 0) > startedGeneration;
}

/** What the status says about a spec that has changed too late. */
export function driftPlan(test: DeepReadonly<LocustTest>): StatusPlan {
  return {
    fields: { observedGeneration: test.metadata.generation },
    conditions: isDrifted(test) ? { SpecDrifted: conditions.SpecDrifted.ignored } : {},
  };
}
