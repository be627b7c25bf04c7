import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, SeededRandom } from "@homeostat/core";
import { type Destination, RouteTables } from "@homeostat/proxy";
import { compileTable, KeyReader, reportItemsMax } from "@homeostat/routing";
import { cartTable } from "../testing/tables.ts";
import { Activity } from "./activity.ts";

function setup(): {
  activity: Activity;
  clock: FakeClock;
  tables: RouteTables;
  waiting: Destination[];
  busy: string[];
} {
  const clock = new FakeClock();
  const tables = new RouteTables({ keys: new KeyReader({ role: "takeover" }), random: new SeededRandom(1) });
  const waiting: Destination[] = [];
  const busy: string[] = [];
  const activity = new Activity({
    tables,
    clock,
    holds: { waiting: () => waiting.map((destination) => ({ destination, requests: 1 })) },
    balancer: { busy: () => busy.values() },
  });
  return { activity, clock, tables, waiting, busy };
}

function destinationOf(sandboxUid: string | undefined, service = "cart"): Destination {
  return { namespace: "shop", service, kind: "sandbox", sandbox: "pr-42", workload: "cart", sandboxUid };
}

const cart = { namespace: "shop", service: "cart", sandboxUid: "u1", agoMs: 0, isWaiting: false };

describe("Activity", () => {
  it("reports each sandbox once, whatever number of requests it had", () => {
    const { activity } = setup();
    for (const uid of ["u1", "u1", "u2", undefined]) activity.routed(destinationOf(uid));

    assert.deepEqual(activity.take(), [cart, { ...cart, sandboxUid: "u2" }]);
    assert.deepEqual(activity.take(), []);
  });

  it("reports a lost report again, with the age of its requests", async () => {
    const { activity, clock } = setup();
    activity.routed(destinationOf("u1"));
    const lost = activity.take();
    activity.putBack(lost);
    await clock.advance(3_000);
    activity.routed(destinationOf("u2"));

    assert.deepEqual(activity.take(), [
      { ...cart, agoMs: 3_000 },
      { ...cart, sandboxUid: "u2" },
    ]);
  });

  it("reports requests that wait as long as they wait", () => {
    const { activity, waiting } = setup();
    waiting.push(destinationOf("u1"));
    for (let round = 0; round < 2; round += 1) assert.deepEqual(activity.take(), [{ ...cart, isWaiting: true }]);
    waiting.pop();
    assert.deepEqual(activity.take(), []);
  });

  it("reports requests that run, such as WebSockets, but none of the baseline", () => {
    const { activity, tables, busy } = setup();
    tables.swap({ tables: [compileTable(cartTable({ sandboxUid: "u1" }))] });
    busy.push("127.0.0.1:2", "127.0.0.1:1", "127.0.0.1:3");

    assert.deepEqual(activity.take(), [cart]);
    tables.swap({ tables: [compileTable(cartTable({ sandboxUid: "u1", mode: "Virtual" }))] });
    assert.deepEqual(activity.take(), []);
  });

  it("sends what exceeds the limit of one report with the next, requests that wait first", () => {
    for (const [count, rest] of [
      [reportItemsMax - 1, 0],
      [reportItemsMax, 0],
      [reportItemsMax + 1, 1],
    ] as const) {
      const { activity, waiting } = setup();
      for (let index = 0; index < count; index += 1) activity.routed(destinationOf(`u${index}`));
      const last = destinationOf(`u${count - 1}`);
      waiting.push(last);

      const first = activity.take();
      waiting.pop();

      assert.equal(first.length, Math.min(count, reportItemsMax));
      assert.equal(first[0]?.sandboxUid, last.sandboxUid);
      assert.equal(activity.take().length, rest);
    }
  });
});
