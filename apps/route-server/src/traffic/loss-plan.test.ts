import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatTime } from "@homeostat/core";
import { type LossInput, planLosses } from "./loss-plan.ts";
import { defaultAuditLimits } from "./propagation-audit.ts";

const now = 10_000_000;
const hop = {
  namespace: "shop",
  from: "cart",
  to: "payments",
  count: 3,
  lastAt: now,
  keys: new Set(["key-1"]),
  samples: ["t1"],
};
const loss = { from: "cart", to: "payments", count: 3, traceId: "t1", lastTime: formatTime(now) };

function plan(change: Partial<LossInput> = {}): ReturnType<typeof planLosses> {
  const entries = [
    { routingKey: "key-1", sandboxUid: "u1" },
    { routingKey: "key-2", sandboxUid: "u2" },
  ];
  return planLosses({ namespace: "shop", entries, lost: [hop], observed: {}, now, ...change });
}

describe("planLosses", () => {
  it("writes the loss of the sandboxes whose key was lost", () => {
    assert.deepEqual(plan(), { u1: loss });
    assert.equal(plan({ namespace: "bank" }), undefined);
    assert.equal(plan({ lost: [] }), undefined);
  });

  it("refreshes it after a minute, if it was seen again", () => {
    const observedAt = (agoMs: number) => ({ u1: { ...loss, lastTime: formatTime(now - agoMs) } });
    assert.equal(plan({ observed: observedAt(59_000) }), undefined);
    assert.deepEqual(plan({ observed: observedAt(60_000) }), { u1: loss });
    assert.equal(plan({ observed: observedAt(0), now: now + 60_000 }), undefined);
  });

  it("removes it after an hour, and with the route", () => {
    const observed = { u1: loss };
    const end = now + defaultAuditLimits.lossMs;
    assert.equal(plan({ observed, lost: [], now: end - 1_000 }), undefined);
    assert.deepEqual(plan({ observed, lost: [], now: end }), { u1: null });
    assert.deepEqual(plan({ observed, entries: [] }), { u1: null });
  });
});
