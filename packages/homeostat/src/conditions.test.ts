// Compile-time checks of conditions between the definition of a kind and its controller.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  combineStatusPlans,
  type ConditionTexts,
  defineController,
  defineResource,
  type ObjectOf,
  s,
  type StatusPlan,
} from "homeostat";

const Site = defineResource({
  group: "shop.example.com",
  version: "v1",
  kind: "Site",
  status: { ready: s.int().optional() },
  conditions: { Ready: ["RolloutComplete", "Waiting"], Degraded: ["ImagePull"] },
});
type Site = ObjectOf<typeof Site>;

const Plain = defineResource({ group: "shop.example.com", version: "v1", kind: "Plain", conditions: ["Ready"] });

const texts = {
  Ready: {
    complete: { status: true, reason: "RolloutComplete", message: "All replicas are ready" },
    waiting: (ready: number) => ({ status: false, reason: "Waiting", message: `${ready} replicas are ready` }),
  },
} as const satisfies ConditionTexts<Site>;

function planFor(ready: number): StatusPlan<Site> {
  return {
    fields: { ready },
    conditions: { Ready: ready > 2 ? texts.Ready.complete : texts.Ready.waiting(ready), Degraded: undefined },
  };
}

describe("conditions declared by defineResource", () => {
  it("are known to the controller, with their reasons", () => {
    const sites = defineController({
      for: Site,
      async reconcile({ setCondition, setStatusPlan }) {
        setStatusPlan(combineStatusPlans(planFor(1), { fields: {}, conditions: {} }));
        setCondition("Ready", { status: false, reason: "Waiting" });
        // @ts-expect-error the kind declares no such reason
        setCondition("Ready", { status: false, reason: "Wating" });
        // @ts-expect-error the kind declares no such condition
        setStatusPlan({ fields: {}, conditions: { Broken: undefined } });
      },
    });
    const plain = defineController({
      for: Plain,
      async reconcile({ setCondition }) {
        setCondition("Ready", { status: false, reason: "AnyReason" });
        // @ts-expect-error the kind declares no such condition
        setCondition("Redy", { status: false, reason: "AnyReason" });
      },
    });

    assert.deepEqual([sites.name, plain.name], ["sites", "plains"]);
    assert.deepEqual(planFor(3).conditions.Ready, texts.Ready.complete);
  });
});
