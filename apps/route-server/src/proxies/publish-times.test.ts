import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import type { TableFilter } from "../feed/filter.ts";
import { TableFeed } from "../feed/table-feed.ts";
import { tableOf } from "../testing/tables.ts";
import { LiveProxies } from "./live-proxies.ts";
import { PublishTimes } from "./publish-times.ts";

const filter: TableFilter = { namespace: "shop", role: "takeover", services: undefined };

function start() {
  const clock = new FakeClock();
  const feed = new TableFeed({ epoch: "one" });
  const published: [string, number][] = [];
  const proxies = new LiveProxies({ clock, onChange: () => times.update() });
  const times = new PublishTimes({
    feed,
    clock,
    proxies: () => proxies,
    onPublished: (namespace, seconds) => published.push([namespace, seconds]),
  });
  const open = (id: string): Disposable => proxies.open({ owner: "shop", id, filter, end: () => undefined });
  const confirm = (id: string, failed: ReadonlySet<string> = new Set()): void =>
    void proxies.acknowledge({ owner: "shop", id, failed, position: { epoch: "one", version: feed.version } });
  return { clock, feed, times, published, open, confirm };
}

describe("PublishTimes", () => {
  it("measures from a new content until the last proxy has confirmed it", async () => {
    const { clock, feed, published, open, confirm } = start();
    feed.set(tableOf("shop/cart"), false);
    open("a");
    open("b");
    confirm("a");
    confirm("b");
    assert.deepEqual(published, [], "tables of the first snapshot are not measured");

    feed.set(tableOf("shop/cart", { version: "v2" }), false);
    await clock.advance(200);
    confirm("a");
    feed.set(tableOf("shop/cart", { version: "v2", entries: [] }), false);
    await clock.advance(300);
    confirm("b");

    assert.deepEqual(published, [["shop", 0.5]]);
  });

  it("reports the age of content that a proxy has not confirmed, and 0 afterwards", async () => {
    const { clock, feed, times, open, confirm } = start();
    feed.set(tableOf("shop/cart"), false);
    open("a");
    confirm("a");
    assert.deepEqual([...times.ages()], []);
    feed.set(tableOf("shop/cart", { version: "v2" }), false);
    await clock.advance(70_000);
    confirm("a", new Set(["shop/cart"]));
    assert.deepEqual([...times.ages()], [["shop", 70]]);
    confirm("a");
    assert.deepEqual([...times.ages()], [["shop", 0]]);
  });

  it("reports a proxy that never confirms, and forgets proxies and tables that are gone", async () => {
    const { clock, feed, times, published, open } = start();
    feed.set(tableOf("shop/cart"), false);
    const silent = open("silent");
    await clock.advance(61_000);
    assert.deepEqual([...times.ages()], [["shop", 61]]);
    feed.set(tableOf("shop/cart", { version: "v2" }), false);
    feed.set(tableOf("shop/other"), false);
    feed.remove("shop/other");
    silent[Symbol.dispose]();
    assert.deepEqual([[...times.ages()], published], [[["shop", 0]], []]);
  });
});
