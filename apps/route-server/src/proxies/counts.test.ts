import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import type { TableFilter } from "../feed/filter.ts";
import { TableFeed, type TableRecord } from "../feed/table-feed.ts";
import { tableOf } from "../testing/tables.ts";
import { LiveProxies, noProxies } from "./live-proxies.ts";
import { planEntries } from "./status-plan.ts";

const filter: TableFilter = { namespace: "shop", role: "takeover", services: undefined };
const none: ReadonlySet<string> = new Set();

function recordOf(feed: TableFeed): TableRecord {
  const record = feed.record("shop/cart");
  if (record === undefined) throw new Error("no record");
  return record;
}

function countsOf(proxies: LiveProxies, feed: TableFeed): readonly number[] {
  const { total, synced } = proxies.count(recordOf(feed));
  return [total, synced];
}

describe("LiveProxies", () => {
  it("counts proxies that have confirmed the content, whatever happened to addresses since", () => {
    const feed = new TableFeed({ epoch: "one" });
    const table = tableOf("shop/cart");
    feed.set(table, false);
    const proxies = new LiveProxies({ clock: new FakeClock(), onChange: () => undefined });
    proxies.open({ owner: "shop", id: "a", filter, end: () => undefined });
    proxies.open({ owner: "shop", id: "b", filter, end: () => undefined });
    proxies.open({ owner: "bank", id: "c", filter: { ...filter, namespace: "bank" }, end: () => undefined });
    const confirm = (id: string, failed: ReadonlySet<string> = none): boolean =>
      proxies.acknowledge({ owner: "shop", id, failed, position: { epoch: "one", version: feed.version } });

    assert.deepEqual(countsOf(proxies, feed), [2, 0]);
    assert.equal(confirm("a"), true);
    assert.deepEqual(countsOf(proxies, feed), [2, 1]);
    feed.set({ ...table, entries: [] }, false);
    assert.deepEqual(countsOf(proxies, feed), [2, 1]);
    feed.set({ ...table, version: "v2" }, false);
    assert.deepEqual(countsOf(proxies, feed), [2, 0]);
    confirm("a");
    confirm("b", new Set(["shop/cart"]));
    assert.deepEqual(countsOf(proxies, feed), [2, 1]);
    assert.equal(confirm("unknown"), false);
  });

  it("counts the proxies of each role", () => {
    const feed = new TableFeed({ epoch: "one" });
    feed.set(tableOf("shop/cart"), true);
    const proxies = new LiveProxies({ clock: new FakeClock(), onChange: () => undefined });
    const open = (id: string, role: TableFilter["role"]): void =>
      void proxies.open({ owner: "shop", id, filter: { ...filter, role }, end: () => undefined });
    open("proxy-1", "takeover");
    open("proxy-2", "takeover");
    open("edge", "gateway");
    for (const id of ["proxy-1", "edge"])
      proxies.acknowledge({ owner: "shop", id, failed: none, position: { epoch: "one", version: feed.version } });

    assert.deepEqual(proxies.count(recordOf(feed)), {
      total: 3,
      synced: 2,
      roles: [
        { role: "gateway", total: 1, synced: 1 },
        { role: "takeover", total: 2, synced: 1 },
      ],
    });
  });

  it("does not count a sidecar as synced whose pod the Service selects since its last confirmation", () => {
    const feed = new TableFeed({ epoch: "one" });
    feed.set(tableOf("shop/cart"), false, new Set(["cart-1"]));
    const proxies = new LiveProxies({ clock: new FakeClock(), onChange: () => undefined });
    for (const pod of ["cart-1", "cart-2"]) {
      proxies.open({ owner: "shop", id: pod, filter: { ...filter, role: "sidecar", pod }, end: () => undefined });
      const position = { epoch: "one", version: feed.version };
      proxies.acknowledge({ owner: "shop", id: pod, failed: none, position });
    }
    assert.deepEqual(countsOf(proxies, feed), [1, 1]);

    feed.set(tableOf("shop/cart"), false, new Set(["cart-1", "cart-2"]));
    assert.deepEqual(countsOf(proxies, feed), [2, 0]);
  });

  it("reports which tables a confirmation can concern", () => {
    const changes: number[] = [];
    const proxies = new LiveProxies({ clock: new FakeClock(), onChange: (_, after) => changes.push(after) });
    const confirm = (version: number, failed: ReadonlySet<string> = none): boolean =>
      proxies.acknowledge({ owner: "shop", id: "a", failed, position: { epoch: "one", version } });
    proxies.open({ owner: "shop", id: "a", filter, end: () => undefined });
    confirm(5);
    confirm(7);
    confirm(8, new Set(["shop/cart"]));
    confirm(9);
    confirm(10);
    assert.deepEqual(changes, [-1, -1, 5, -1, -1, 9]);
  });

  it("forgets a proxy when its last stream ends, and ends the older of two streams", () => {
    const feed = new TableFeed({ epoch: "one" });
    feed.set(tableOf("shop/cart"), false);
    const ended: string[] = [];
    const proxies = new LiveProxies({ clock: new FakeClock(), onChange: () => undefined });
    const first = proxies.open({ owner: "shop", id: "a", filter, end: () => ended.push("first") });
    const second = proxies.open({ owner: "shop", id: "a", filter, end: () => ended.push("second") });

    first[Symbol.dispose]();
    assert.deepEqual([ended, proxies.count(recordOf(feed)).total], [["first"], 1]);
    second[Symbol.dispose]();
    assert.equal(proxies.size, 0);
  });
});

describe("planEntries", () => {
  const roles = [{ role: "takeover" as const, total: 2, synced: 1 }];
  const own = { name: "a", version: "v1", total: 2, synced: 1, roles };
  const other = { name: "b", version: "v1", total: 1, synced: 1 };
  const counts = { total: 2, synced: 1, roles };
  const plan = { replica: "a", version: "v1", counts, replicas: undefined, observed: [other] };

  it("writes the own entry if it changed", () => {
    assert.deepEqual(planEntries(plan), [{ replica: "a", entry: own }]);
    assert.deepEqual(planEntries({ ...plan, observed: [own, other] }), []);
    assert.deepEqual(planEntries({ ...plan, observed: [{ ...own, version: "v0" }] }), [{ replica: "a", entry: own }]);
    const moved = { ...own, roles: [{ role: "gateway" as const, total: 2, synced: 1 }] };
    assert.deepEqual(planEntries({ ...plan, observed: [moved] }), [{ replica: "a", entry: own }]);
  });

  it("removes the own entry if no proxy is connected", () => {
    const counts = noProxies;
    assert.deepEqual(planEntries({ ...plan, counts, observed: [own, other] }), [{ replica: "a", entry: undefined }]);
    assert.deepEqual(planEntries({ ...plan, counts, observed: [other] }), []);
  });

  it("removes entries of replicas that do not exist", () => {
    const observed = [own, other];
    assert.deepEqual(planEntries({ ...plan, observed, replicas: new Set(["a", "b"]) }), []);
    assert.deepEqual(planEntries({ ...plan, observed, replicas: new Set(["a"]) }), [
      { replica: "b", entry: undefined },
    ]);
  });
});
