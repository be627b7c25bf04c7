import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cartTable } from "../testing/tables.ts";
import { type RouteState, TableStore } from "./table-store.ts";

const cart = cartTable();
const orders = { ...cart, service: "orders" };

function syncedStore(): TableStore {
  const store = new TableStore();
  store.begin();
  store.apply({ op: "ADD", version: undefined, table: cart });
  store.apply({ op: "ADD", version: undefined, table: orders });
  store.apply({ op: "SYNCED", version: 5, epoch: "one", snapshot: true });
  return store;
}

const namesOf = (store: TableStore): readonly string[] => [...store.state.tables.keys()].sort();

describe("TableStore", () => {
  it("has all tables and the position of the stream after SYNCED", () => {
    const store = syncedStore();

    assert.deepEqual(namesOf(store), ["shop/cart", "shop/orders"]);
    assert.deepEqual(store.position, { epoch: "one", version: 5 });
    assert.equal(store.isSynced, true);
  });

  it("publishes a new state for each change and leaves older ones as they are", () => {
    const states: RouteState[] = [];
    const store = new TableStore((state) => states.push(state));
    store.begin();

    store.apply({ op: "ADD", version: undefined, table: cart });
    store.apply({ op: "ADD", version: undefined, table: orders });

    assert.deepEqual(
      states.map(({ tables }) => tables.size),
      [1, 2],
    );
  });

  it("keeps the tables of the stream before it until the new one is synced", () => {
    const store = syncedStore();

    store.begin();
    const isSyncedDuring = store.isSynced;
    store.apply({ op: "ADD", version: undefined, table: cart });
    const during = namesOf(store);
    store.apply({ op: "SYNCED", version: 1, epoch: "two", snapshot: true });

    assert.equal(isSyncedDuring, false);
    assert.deepEqual(during, ["shop/cart", "shop/orders"]);
    assert.deepEqual(namesOf(store), ["shop/cart"]);
  });

  it("keeps tables that a continued stream did not send again", () => {
    const store = syncedStore();

    store.begin();
    store.apply({ op: "SYNCED", version: 9, epoch: "one", snapshot: false });

    assert.deepEqual(namesOf(store), ["shop/cart", "shop/orders"]);
    assert.deepEqual(store.position, { epoch: "one", version: 9 });
  });

  it("asks for a confirmation of each new version, and of no other", () => {
    const store = syncedStore();

    assert.equal(store.apply({ op: "REPLACE", version: 6, table: cart }), true);
    assert.equal(store.apply({ op: "PING", version: 6 }), false);
    assert.equal(store.apply({ op: "PING", version: undefined }), false);
    assert.equal(store.apply({ op: "REMOVE", version: 7, table: { namespace: "shop", service: "cart" } }), true);
    assert.equal(store.apply({ op: "PING", version: 9 }), true);
    assert.deepEqual(namesOf(store), ["shop/orders"]);
    assert.deepEqual(store.position, { epoch: "one", version: 9 });
  });

  it("keeps the table in use when its replacement is unusable, and reports the problem", () => {
    const store = syncedStore();

    store.apply({ op: "REPLACE", version: 6, table: { namespace: "shop", service: "cart", version: "v2", ports: 3 } });

    assert.equal(store.state.tables.get("shop/cart")?.table.version, "v1");
    const [error] = store.errors;
    assert.equal(error?.service, "cart");
    assert.match(error?.message ?? "", /ports/);

    store.apply({ op: "REPLACE", version: 7, table: cartTable({ version: "v3" }) });

    assert.deepEqual(store.errors, []);
    assert.equal(store.state.tables.get("shop/cart")?.table.version, "v3");
  });

  it("ignores a table without a name", () => {
    const store = syncedStore();

    store.apply({ op: "ADD", version: 6, table: { ports: [] } });

    assert.deepEqual(namesOf(store), ["shop/cart", "shop/orders"]);
  });

  it("uses the settings of CONFIG, with defaults for what is absent", () => {
    const store = syncedStore();

    store.apply({ op: "CONFIG", routing: { explicitHeaders: ["x-lane"] } });

    assert.deepEqual(store.state.settings.explicitHeaders, ["x-lane"]);
    assert.deepEqual(store.state.settings.keyNames, ["routing-key", "sd-routing-key"]);
  });

  it("ignores operations of newer servers", () => {
    const store = syncedStore();

    assert.equal(store.apply({ op: "UNKNOWN", name: "PAUSE" }), false);
    assert.equal(store.isSynced, true);
  });
});
