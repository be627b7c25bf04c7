import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SeededRandom } from "@homeostat/core";
import { tableOf } from "../testing/tables.ts";
import type { TableFilter } from "./filter.ts";
import type { StreamOperation } from "@homeostat/routing";
import { Subscriber } from "./subscriber.ts";
import { TableFeed } from "./table-feed.ts";

const shop: TableFilter = { namespace: "shop", role: "takeover", services: undefined };

function feedOf(...keys: readonly string[]): TableFeed {
  const feed = new TableFeed({ epoch: "one" });
  for (const key of keys) feed.set(tableOf(key), false);
  return feed;
}

function takeAll(subscriber: Subscriber): StreamOperation[] {
  const taken: StreamOperation[] = [];
  for (let next = subscriber.take(); next !== undefined; next = subscriber.take()) taken.push(next);
  return taken;
}

function shown(operations: readonly StreamOperation[]): string[] {
  return operations.map((each) => {
    if (each.op === "SYNCED") return `SYNCED ${each.version}${each.snapshot ? " snapshot" : ""}`;
    return "table" in each
      ? `${each.op} ${each.table.service}${each.version === undefined ? "" : ` ${each.version}`}`
      : each.op;
  });
}

describe("Subscriber", () => {
  it("gets a snapshot, then changes with rising versions", () => {
    const feed = feedOf("shop/cart", "shop/orders", "other/cart");
    using subscriber = new Subscriber({ feed, filter: shop });
    assert.deepEqual(shown(takeAll(subscriber)), ["ADD cart", "ADD orders", "SYNCED 3 snapshot"]);

    feed.set(tableOf("shop/cart", { version: "v2" }), false);
    feed.set(tableOf("shop/users"), false);
    feed.set(tableOf("other/users"), false);
    feed.remove("shop/orders");

    assert.deepEqual(shown(takeAll(subscriber)), ["REPLACE cart 4", "ADD users 5", "REMOVE orders 7"]);
  });

  it("of a sidecar gets the tables of Services that select its pod", () => {
    const feed = feedOf("shop/cart");
    feed.set(tableOf("shop/orders"), false, new Set(["orders-1"]));
    using subscriber = new Subscriber({ feed, filter: { ...shop, role: "sidecar", pod: "cart-1" } });
    assert.deepEqual(shown(takeAll(subscriber)), ["SYNCED 2 snapshot"]);

    feed.set(tableOf("shop/cart"), false, new Set(["cart-1", "cart-2"]));
    assert.deepEqual(shown(takeAll(subscriber)), ["ADD cart 3"]);
    feed.set(tableOf("shop/cart"), false, new Set(["cart-1", "cart-2"]));
    assert.deepEqual(takeAll(subscriber), []);
    feed.set(tableOf("shop/cart"), false, new Set(["cart-2"]));
    assert.deepEqual(shown(takeAll(subscriber)), ["REMOVE cart 4"]);
  });

  it("gets nothing for a table that is set without a change", () => {
    const feed = feedOf("shop/cart");
    using subscriber = new Subscriber({ feed, filter: shop });
    takeAll(subscriber);

    feed.set(tableOf("shop/cart"), false);

    assert.deepEqual(takeAll(subscriber), []);
  });

  it("continues after a version of the same process", () => {
    const feed = feedOf("shop/cart", "shop/orders", "shop/users");
    const from = { epoch: "one", version: feed.version };
    feed.set(tableOf("shop/cart", { version: "v2" }), false);
    feed.remove("shop/orders");
    feed.set(tableOf("shop/new"), false);

    using subscriber = new Subscriber({ feed, filter: shop, from });

    assert.deepEqual(shown(takeAll(subscriber)), ["REPLACE cart", "REMOVE orders", "ADD new", "SYNCED 6"]);
  });

  it("gets a snapshot after a version of another process, of the future, or one that is too old", () => {
    const feed = new TableFeed({ epoch: "one", logMax: 2 });
    for (let count = 0; count < 10; count += 1) feed.set(tableOf("shop/cart", { version: `v${count}` }), false);

    for (const from of [
      { epoch: "two", version: 9 },
      { epoch: "one", version: 11 },
      { epoch: "one", version: 1 },
    ]) {
      using subscriber = new Subscriber({ feed, filter: shop, from });
      assert.deepEqual(shown(takeAll(subscriber)), ["ADD cart", "SYNCED 10 snapshot"]);
    }
    using recent = new Subscriber({ feed, filter: shop, from: { epoch: "one", version: 9 } });
    assert.deepEqual(shown(takeAll(recent)), ["REPLACE cart", "SYNCED 10"]);
  });

  it("selects Services, and for a gateway those of preview endpoints", () => {
    const feed = feedOf("shop/cart", "shop/orders");
    using some = new Subscriber({ feed, filter: { ...shop, services: new Set(["orders"]) } });
    using gateway = new Subscriber({ feed, filter: { namespace: undefined, role: "gateway", services: undefined } });
    assert.deepEqual(shown(takeAll(some)), ["ADD orders", "SYNCED 2 snapshot"]);
    assert.deepEqual(shown(takeAll(gateway)), ["SYNCED 2 snapshot"]);

    feed.set(tableOf("shop/cart", { version: "v2" }), false);
    assert.deepEqual(shown(takeAll(gateway)), []);
    feed.set(tableOf("shop/cart", { version: "v2" }), true);
    assert.deepEqual(shown(takeAll(gateway)), ["ADD cart 4"]);
    feed.set(tableOf("shop/cart", { version: "v2" }), false);
    assert.deepEqual(shown(takeAll(gateway)), ["REMOVE cart 5"]);
  });

  it("joins changes of one table, and sends all tables again beyond the backlog", () => {
    const feed = feedOf("shop/cart", "shop/gone");
    using subscriber = new Subscriber({ feed, filter: shop, backlogMax: 3 });
    takeAll(subscriber);

    for (let count = 0; count < 100; count += 1) feed.set(tableOf("shop/cart", { version: `w${count}` }), false);
    assert.equal(subscriber.backlog, 1);
    feed.remove("shop/gone");
    for (const name of ["a", "b"]) feed.set(tableOf(`shop/${name}`), false);

    assert.equal(subscriber.backlog, 0);
    assert.deepEqual(shown(takeAll(subscriber)), ["REPLACE cart", "REMOVE gone", "ADD a", "ADD b", "SYNCED 105"]);
  });

  it("sends the settings first, and again when they change", () => {
    const feed = feedOf();
    feed.configure({ explicitHeaders: ["x-key"] });
    using subscriber = new Subscriber({ feed, filter: shop });
    assert.deepEqual(shown(takeAll(subscriber)), ["CONFIG", "SYNCED 0 snapshot"]);

    feed.configure({ explicitHeaders: ["x-key"] });
    assert.deepEqual(takeAll(subscriber), []);
    feed.configure({ explicitHeaders: ["x-other"] });
    assert.deepEqual(takeAll(subscriber), [{ op: "CONFIG", routing: { explicitHeaders: ["x-other"] } }]);
  });

  it("gives every reader the tables of the feed, however it reads and reconnects", () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const random = new SeededRandom(seed);
      const feed = new TableFeed({ epoch: "one", logMax: 4 });
      const filter: TableFilter =
        random.int(2) === 0 ? shop : { namespace: undefined, role: "gateway", services: undefined };
      const backlogMax = 1 + random.int(4);
      const reader = new Reader();
      let subscriber = new Subscriber({ feed, filter, backlogMax });
      for (let step = 0; step < 60; step += 1) {
        const key = `${random.int(3) === 0 ? "other" : "shop"}/s${random.int(5)}`;
        const action = random.int(10);
        if (action < 4) feed.set(tableOf(key, { version: `v${random.int(3)}` }), random.int(2) === 0);
        else if (action < 6) feed.remove(key);
        else if (action < 9) reader.apply(subscriber.take());
        else {
          subscriber[Symbol.dispose]();
          subscriber = new Subscriber({ feed, filter, backlogMax, from: reader.reconnect() });
        }
      }
      for (const operation of takeAll(subscriber)) reader.apply(operation);

      const expected = [...feed.records()]
        .filter((each) => (filter.role === "gateway" ? each.isEndpoint : each.table.namespace === "shop"))
        .map(({ key, table }) => `${key} ${table.version}`);
      assert.deepEqual(reader.tables(), expected.toSorted(), `seed ${seed}`);
      subscriber[Symbol.dispose]();
    }
  });
});

/** A proxy as the protocol describes it. */
class Reader {
  readonly #tables = new Map<string, string>();
  #received = new Set<string>();
  #isSynced = false;
  #version: number | undefined;

  apply(operation: StreamOperation | undefined): void {
    if (operation === undefined) return;
    if (operation.op === "SYNCED") {
      if (operation.snapshot) {
        for (const key of this.#tables.keys()) if (!this.#received.has(key)) this.#tables.delete(key);
      }
      this.#isSynced = true;
      this.#version = operation.version;
      return;
    }
    if (!("table" in operation)) return;
    const key = `${operation.table.namespace}/${operation.table.service}`;
    if (operation.op === "REMOVE") this.#tables.delete(key);
    else this.#tables.set(key, operation.table.version);
    this.#received.add(key);
    if (this.#isSynced && operation.version !== undefined) this.#version = operation.version;
  }

  /** Starts another stream. The position is that of the last stream that was synced. */
  reconnect(): { readonly epoch: string; readonly version: number } | undefined {
    this.#received = new Set();
    this.#isSynced = false;
    return this.#version === undefined ? undefined : { epoch: "one", version: this.#version };
  }

  tables(): string[] {
    return [...this.#tables].map(([key, version]) => `${key} ${version}`).toSorted();
  }
}
