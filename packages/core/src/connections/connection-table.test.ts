import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SeededRandom } from "../seams/seeded-random.ts";
import { ConnectionTable } from "./connection-table.ts";

const limits = { totalMax: 4, perAddressMax: 3 };

function tableOf(...connections: readonly [name: string, address: string][]): ConnectionTable<string> {
  const table = new ConnectionTable<string>(limits);
  for (const [name, address] of connections) table.add(name, address);
  return table;
}

describe("ConnectionTable", () => {
  it("evicts the longest idle connection of an address at its limit", () => {
    const table = tableOf(["a1", "a"], ["a2", "a"], ["a3", "a"]);
    table.begin("a1");
    table.end("a1");

    assert.deepEqual(table.add("a4", "a"), { isAccepted: true, evicted: "a2" });
    assert.deepEqual(table.add("a5", "a"), { isAccepted: true, evicted: "a3" });
    assert.deepEqual(table.add("a6", "a"), { isAccepted: true, evicted: "a1" });
  });

  it("evicts from the address with the most connections when the total is reached", () => {
    const table = tableOf(["b1", "b"], ["a1", "a"], ["a2", "a"], ["a3", "a"]);

    assert.deepEqual(table.add("c1", "c"), { isAccepted: true, evicted: "a1" });
    assert.deepEqual(table.add("c2", "c"), { isAccepted: true, evicted: "a2" }, "the oldest among equals");
    assert.equal(table.size, 4);
  });

  it("never evicts a connection with a request in flight", () => {
    const table = tableOf(["a1", "a"], ["a2", "a"], ["a3", "a"]);
    for (const name of ["a1", "a2", "a3"]) table.begin(name);
    table.begin("a2");
    table.end("a2");

    assert.deepEqual(table.add("a4", "a"), { isAccepted: false });
    assert.deepEqual(table.add("b1", "b"), { isAccepted: true });
    table.begin("b1");
    assert.deepEqual(table.add("c1", "c"), { isAccepted: false });
    table.end("a2");
    assert.deepEqual(table.add("c1", "c"), { isAccepted: true, evicted: "a2" });
  });

  it("removes closed connections and ignores unknown ones", () => {
    const table = tableOf(["a1", "a"], ["a2", "a"], ["a3", "a"]);
    table.remove("a1");
    table.remove("a1");
    table.begin("a1");
    table.end("a1");

    assert.deepEqual(table.add("a4", "a"), { isAccepted: true });
    assert.equal(table.size, 3);
  });

  it("keeps its limits and never evicts a busy connection, for random operations", () => {
    const random = new SeededRandom(7);
    const pick = (max: number): number => Math.floor(random.next() * max);
    const table = new ConnectionTable<number>({ totalMax: 20, perAddressMax: 8 });
    const open = new Map<number, { readonly address: string; requests: number }>();
    for (let step = 0; step < 20_000; step += 1) {
      const names = [...open.keys()];
      const chosen = names[pick(names.length)];
      const entry = chosen === undefined ? undefined : open.get(chosen);
      const action = pick(4);
      if (action === 0 || chosen === undefined || entry === undefined) {
        const address = `10.0.0.${pick(5)}`;
        const { isAccepted, evicted } = table.add(step, address);
        if (evicted !== undefined) {
          assert.equal(open.get(evicted)?.requests, 0);
          open.delete(evicted);
        }
        if (isAccepted) open.set(step, { address, requests: 0 });
        else assert.ok([...open.values()].some(({ requests }) => requests > 0));
      } else if (action === 1) {
        table.begin(chosen);
        entry.requests += 1;
      } else if (action === 2 && entry.requests > 0) {
        table.end(chosen);
        entry.requests -= 1;
      } else if (action === 3) {
        table.remove(chosen);
        open.delete(chosen);
      }
      assert.equal(table.size, open.size);
      assert.ok(table.size <= 20);
      for (let at = 0; at < 5; at += 1) {
        const count = [...open.values()].filter(({ address }) => address === `10.0.0.${at}`).length;
        assert.ok(count <= 8);
      }
    }
  });
});
