import type { LocustTestStatus } from "../api/locust-test.ts";
import type { DeepReadonly } from "@homeostat/core";
import type { ConditionWishes } from "./conditions.ts";

/** Fields of the status to set; `undefined` takes one away, and what is not named stays as it is. */
export type StatusFields = {
  readonly [K in Exclude<keyof LocustTestStatus, "conditions">]?: DeepReadonly<LocustTestStatus[K]> | undefined;
};

/** What the status is to say. */
export interface StatusPlan {
  readonly fields: StatusFields;
  readonly conditions: ConditionWishes;
}

/** Two plans as one; where both speak of the same, the second counts. */
export function combined(first: StatusPlan, second: StatusPlan): StatusPlan {
  return {
    fields: { ...first.fields, ...second.fields },
    conditions: { ...first.conditions, ...second.conditions },
  };
}
