import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KubeObject, ResourceType } from "@homeostat/core";
import { FakeApi } from "../testing/controller-api.ts";
import type { ConditionReasonOf, ConditionTypeOf, StatusPlan } from "../writes/status-change.ts";
import { defineController } from "./define-controller.ts";
import { Operator, type Site } from "../testing/sample-operator.ts";
import { combineStatusPlans, type ConditionTexts } from "./status-plan.ts";

/** True only for the same type. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the compiler compares such functions by identity of their types
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

interface ConditionOf<C extends string, R extends string> {
  type: C;
  status: "True" | "False" | "Unknown";
  reason: R;
  message: string;
  lastTransitionTime: string;
}

/** A kind with declared reasons, as `defineResource` infers it. */
interface Shop extends KubeObject {
  status?: {
    phase?: "Open" | "Closed";
    visitors?: number;
    conditions?: (ConditionOf<"Ready", "Complete" | "Waiting"> | ConditionOf<"Stocked", "Full" | "Empty">)[];
  };
}
const Shop: ResourceType<Shop> & { hasStatus: true } = {
  group: "example.com",
  version: "v1",
  kind: "Shop",
  plural: "shops",
  scope: "Namespaced",
  hasStatus: true,
};

const conditions = {
  Ready: {
    complete: { status: true, reason: "Complete", message: "All shelves are in place" },
    waiting: (missing: number) => ({ status: false, reason: "Waiting", message: `${missing} shelves are missing` }),
  },
  Stocked: { empty: { status: false, reason: "Empty" } },
} as const satisfies ConditionTexts<Shop>;

const open: StatusPlan<Shop> = { fields: { phase: "Open" }, conditions: { Ready: conditions.Ready.complete } };

const shops = (): FakeApi => {
  const api = new FakeApi([Shop]);
  api.put(Shop, "default/a", {});
  return api;
};

const statusOf = (api: FakeApi): Shop["status"] => api.get(Shop, "default/a")?.["status"] ?? {};

describe("condition types and reasons of a kind", () => {
  it("are those that its status declares", () => {
    assert.ok(true satisfies Equal<ConditionTypeOf<Shop>, "Ready" | "Stocked">);
    assert.ok(true satisfies Equal<ConditionReasonOf<Shop, "Ready">, "Complete" | "Waiting">);
    assert.ok(true satisfies Equal<ConditionReasonOf<Shop, "Stocked">, "Full" | "Empty">);
    assert.ok(true satisfies Equal<ConditionReasonOf<Site, "Valid">, string>);
    assert.ok(true satisfies Equal<ConditionReasonOf<KubeObject, "Whatever">, string>);
  });

  it("reject what the kind does not declare", () => {
    const shop = defineController({
      for: Shop,
      async reconcile({ setCondition, setStatusPlan, removeCondition }) {
        setCondition("Ready", { status: true, reason: "Complete" });
        // @ts-expect-error there is no such reason
        setCondition("Ready", { status: true, reason: "Typo" });
        // @ts-expect-error the reason belongs to another condition
        setCondition("Ready", { status: true, reason: "Full" });
        // @ts-expect-error there is no such condition
        setCondition("Redy", { status: true, reason: "Complete" });
        // @ts-expect-error there is no such condition
        removeCondition("Redy");
        setStatusPlan({ fields: {}, conditions: { Stocked: undefined } });
        // @ts-expect-error there is no such condition
        setStatusPlan({ fields: {}, conditions: { Redy: undefined } });
        // @ts-expect-error there is no such reason
        setStatusPlan({ fields: {}, conditions: { Ready: { status: true, reason: "Typo" } } });
        // @ts-expect-error there is no such field
        setStatusPlan({ fields: { fase: "Open" }, conditions: {} });
        // @ts-expect-error there is no such phase
        setStatusPlan({ fields: { phase: "Ajar" }, conditions: {} });
      },
    });
    // @ts-expect-error there is no such reason
    const wrong = { Ready: { up: { status: true, reason: "Up" } } } as const satisfies ConditionTexts<Shop>;
    // @ts-expect-error there is no such condition
    const unknown = { Redy: { up: { status: true, reason: "Complete" } } } as const satisfies ConditionTexts<Shop>;

    assert.equal(shop.name, "shops");
    assert.ok(wrong.Ready.up.status && unknown.Redy.up.status);
  });
});

describe("combineStatusPlans", () => {
  it("keeps the values that only one plan sets, and prefers the second plan otherwise", () => {
    const second: StatusPlan<Shop> = {
      fields: { phase: undefined, visitors: 3 },
      conditions: { Ready: undefined, Stocked: conditions.Stocked.empty },
    };

    const plan = combineStatusPlans(open, second);

    assert.deepEqual(plan, second);
    assert.deepEqual(combineStatusPlans(second, open), {
      fields: { phase: "Open", visitors: 3 },
      conditions: { Ready: conditions.Ready.complete, Stocked: conditions.Stocked.empty },
    });
  });
});

describe("setStatusPlan", () => {
  it("writes fields and conditions in one request, and nothing when the content is the same", async () => {
    let reconciles = 0;
    const api = shops();
    const shop = defineController({
      for: Shop,
      async reconcile({ setStatusPlan }) {
        reconciles += 1;
        setStatusPlan(open);
        return { requeueAfterMs: 1000 };
      },
    });
    await using operator = new Operator(shop, { api });
    await operator.lead();
    await operator.clock.advance(5000);

    assert.ok(reconciles > 3);
    assert.deepEqual(api.writes, ["PATCH shops/status default/a"]);
    const { phase, conditions: [ready] = [] } = statusOf(api) ?? {};
    assert.deepEqual([phase, ready?.type, ready?.status, ready?.reason], ["Open", "Ready", "True", "Complete"]);
  });

  it("removes a field and a condition that are undefined, and keeps those that it does not name", async () => {
    const api = shops();
    const shop = defineController({
      for: Shop,
      async reconcile({ setStatusPlan, saveStatus }) {
        setStatusPlan(combineStatusPlans(open, { fields: { visitors: 2 }, conditions: {} }));
        setStatusPlan({ fields: {}, conditions: { Stocked: conditions.Stocked.empty } });
        await saveStatus();
        setStatusPlan({ fields: { phase: undefined }, conditions: { Ready: undefined } });
      },
    });
    await using operator = new Operator(shop, { api });
    await operator.lead();

    const { phase, visitors, conditions: left = [] } = statusOf(api) ?? {};
    assert.deepEqual([phase, visitors, left.map(({ type }) => type)], [undefined, 2, ["Stocked"]]);
  });
});

describe("requireStatus", () => {
  it("rejects every status write when the live status is not as expected", async () => {
    const api = shops();
    const shop = defineController({
      for: Shop,
      async reconcile({ setStatus, requireStatus }) {
        requireStatus(
          (status) => status?.phase === undefined,
          () => new Error("the cache was outdated"),
        );
        // Another process writes the final phase while this reconcile still works with the state that it read.
        api.edit(Shop, "default/a", { status: { phase: "Closed" } });
        setStatus({ phase: "Open" });
      },
    });
    await using operator = new Operator(shop, { api });
    await operator.lead();
    await operator.clock.advance(100);

    assert.equal(statusOf(api)?.phase, "Closed");
    assert.deepEqual(
      api.writes,
      ["PATCH shops/status default/a"],
      "the write that the server rejected with a conflict",
    );
    assert.match(String(operator.logged(/^Reconcile failed$/)[0]?.["error"]), /the cache was outdated/);
  });

  it("is not checked when nothing is written", async () => {
    const api = shops();
    const shop = defineController({
      for: Shop,
      async reconcile({ requireStatus }) {
        requireStatus(
          () => false,
          () => new Error("never"),
        );
      },
    });
    await using operator = new Operator(shop, { api });
    await operator.lead();

    assert.deepEqual([operator.logged(/failed/), api.writes], [[], []]);
  });
});

describe("saveStatus", () => {
  it("logs a failed write once, with its purpose as the message", async () => {
    const api = shops();
    api.fault = () => "before";
    const shop = defineController({
      for: Shop,
      async reconcile({ setStatusPlan, saveStatus }) {
        setStatusPlan(open);
        await saveStatus({ purpose: "record the opening" });
      },
    });
    await using operator = new Operator(shop, { api });
    await operator.lead();

    const [line, ...more] = operator.logged(/./).filter(({ level }) => level === "error");
    assert.deepEqual([line?.message, more.length], ["Failed to record the opening", 0]);
  });
});
