import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TableFilter } from "../feed/filter.ts";
import { TableFeed } from "../feed/table-feed.ts";
import { tableOf } from "../testing/tables.ts";
import { ActivityLedger, type LastRequest } from "./activity-ledger.ts";
import { type ActivityInput, planActivity } from "./activity-plan.ts";
import { PropagationAudit } from "./propagation-audit.ts";
import { Traffic } from "./traffic.ts";

const second = 1_000;
const now = 1_000_000;

function plan(
  reported: Readonly<Record<string, LastRequest>>,
  observed: Readonly<Record<string, number>> = {},
  change: Partial<ActivityInput> = {},
): ReturnType<typeof planActivity> {
  return planActivity({
    reported: new Map(Object.entries(reported)),
    observed: new Map(Object.entries(observed)),
    sandboxUids: new Set(["u1", "u2"]),
    sleepAfterSeconds: () => undefined,
    attemptedAt: undefined,
    now,
    ...change,
  });
}

const at = (agoMs: number, isWaiting = false): LastRequest => ({ at: now - agoMs, isWaiting });

describe("planActivity", () => {
  it("writes the first request of a sandbox, and later ones after a minute", () => {
    assert.deepEqual(plan({ u1: at(0) }), { u1: now });
    assert.equal(plan({ u1: at(0) }, { u1: now - 60 * second + 1 }), undefined);
    assert.deepEqual(plan({ u1: at(0) }, { u1: now - 60 * second }), { u1: now });
    assert.deepEqual(plan({ u1: at(50 * second) }, { u1: now - 60 * second }), { u1: now - 50 * second });
    assert.equal(plan({ u1: at(60 * second) }, { u1: now - 60 * second }), undefined);
  });

  it("refreshes after a third of the time to sleep, but at least 5 seconds", () => {
    const sleeps = (seconds: number, writtenAgoMs: number): boolean =>
      plan({ u1: at(0) }, { u1: now - writtenAgoMs }, { sleepAfterSeconds: () => seconds }) !== undefined;
    assert.deepEqual([sleeps(30, 9_999), sleeps(30, 10_000)], [false, true]);
    assert.deepEqual([sleeps(6, 4_999), sleeps(6, 5_000)], [false, true]);
    assert.deepEqual([sleeps(3_600, 59_999), sleeps(3_600, 60_000)], [false, true]);
  });

  it("writes all changes with the one that is due", () => {
    const reported = { u1: at(0), u2: at(second) };
    assert.deepEqual(plan(reported, { u1: now - 61 * second, u2: now - 10 * second }), { u1: now, u2: now - second });
  });

  it("writes a table at most every 5 seconds, unless requests wait", () => {
    assert.equal(plan({ u1: at(0) }, {}, { attemptedAt: now - 4_999 }), undefined);
    assert.deepEqual(plan({ u1: at(0) }, {}, { attemptedAt: now - 5_000 }), { u1: now });
    assert.deepEqual(plan({ u1: at(0, true) }, {}, { attemptedAt: now - second }), { u1: now });
  });

  it("writes nothing more for requests that wait beside others", () => {
    assert.equal(plan({ u1: at(0, true) }, { u1: now - 2 * second }), undefined);
  });

  it("removes sandboxes that have no route any more, and ignores reports about them", () => {
    assert.deepEqual(plan({ u9: at(0) }, { u8: now }), { u8: null });
    assert.equal(plan({ u9: at(0) }), undefined);
  });
});

describe("Traffic", () => {
  const filter: TableFilter = { namespace: "shop", role: "takeover", services: undefined };
  const setup = (): { traffic: Traffic; ledger: ActivityLedger; audit: PropagationAudit } => {
    const feed = new TableFeed({ epoch: "one" });
    const ledger = new ActivityLedger();
    for (const key of ["shop/cart", "shop/payments", "bank/accounts"]) {
      const table = tableOf(key);
      feed.set({ ...table, entries: table.entries.map((entry) => ({ ...entry, sandboxUid: "u1" })) }, false);
    }
    const audit = new PropagationAudit();
    const callerOf = (_: string, address: string): string | undefined => (address === "10.0.0.7" ? "cart" : undefined);
    return { ledger, audit, traffic: new Traffic({ feed, ledger, audit, callerOf, clock: { now: () => now } }) };
  };
  const activity = { namespace: "shop", service: "cart", sandboxUid: "u1", agoMs: 1_500, isWaiting: false };

  it("keeps the newest request of each sandbox, in whole seconds", () => {
    const { traffic, ledger } = setup();
    const report = { proxy: "p1", activity: [activity, { ...activity, agoMs: 4_000, isWaiting: true }], sightings: [] };
    assert.deepEqual(traffic.record(report, filter), { accepted: 2, ignored: 0 });
    assert.deepEqual([...ledger.of("shop/cart")], [["u1", { at: now - 2_000, isWaiting: true }]]);
  });

  it("ignores tables that the proxy does not get, and sandboxes without a route", () => {
    const { traffic, ledger } = setup();
    const others = [
      { ...activity, namespace: "bank", service: "accounts" },
      { ...activity, service: "unknown" },
      { ...activity, sandboxUid: "u2" },
    ];
    const report = { proxy: "p1", activity: others, sightings: [] };
    assert.deepEqual(traffic.record(report, filter), { accepted: 0, ignored: 3 });
    const ofGateway = { proxy: "p1", activity: [activity], sightings: [] };
    assert.equal(traffic.record(ofGateway, { ...filter, role: "gateway" }).ignored, 1);
    assert.deepEqual([...ledger.keys()], []);
  });

  it("joins the requests of a trace from several proxies, without those of other namespaces", () => {
    const { traffic, audit } = setup();
    const sighting = { namespace: "shop", service: "cart", traceId: "t1", key: "key-1", client: undefined, agoMs: 50 };
    const later = { ...sighting, service: "payments", key: undefined, client: "10.0.0.7", agoMs: 10 };
    const foreign = { ...later, namespace: "bank", service: "accounts" };
    const reports = [[later, foreign], [sighting]].map((sightings) => ({ proxy: "p1", activity: [], sightings }));

    assert.deepEqual(
      reports.map((report) => traffic.record(report, filter)),
      [
        { accepted: 1, ignored: 1 },
        { accepted: 1, ignored: 0 },
      ],
    );
    assert.deepEqual(
      audit.lost(now).map(({ namespace, from, to, count }) => [namespace, from, to, count]),
      [["shop", "cart", "payments", 1]],
    );
  });

  it("forgets sandboxes and tables that are gone", () => {
    const ledger = new ActivityLedger();
    ledger.record("shop/cart", "u1", at(0));
    ledger.record("shop/cart", "u2", at(0));
    ledger.retain("shop/cart", new Set(["u2"]));
    assert.deepEqual([...ledger.of("shop/cart").keys()], ["u2"]);
    ledger.retain("shop/cart", new Set());
    assert.deepEqual([...ledger.keys()], []);
  });
});
