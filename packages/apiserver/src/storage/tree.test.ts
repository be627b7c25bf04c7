import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type Ordered, Tree } from "./tree.ts";

interface Item extends Ordered {
  readonly value: number;
}

function contents(tree: Tree<Item>, start = "", end?: string): Item[] {
  const items: Item[] = [];
  tree.scan(start, end, (item) => items.push(item) > 0);
  return items;
}

function sorted(model: Map<string, Item>): Item[] {
  return [...model.values()].sort((a, b) => (a.order < b.order ? -1 : 1));
}

describe("Tree", () => {
  it("behaves like a sorted map and isolates clones from each other", () => {
    const step = fc.record({
      what: fc.constantFrom("set", "set", "set", "delete", "delete", "clone", "switch"),
      key: fc.nat(400),
    });

    fc.assert(
      fc.property(fc.array(step, { maxLength: 900, size: "max" }), (steps) => {
        const trees = [{ tree: new Tree<Item>(), model: new Map<string, Item>() }];
        let at = 0;
        for (const [value, { what, key }] of steps.entries()) {
          const current = trees[at];
          assert(current !== undefined);
          const { tree, model } = current;
          const order = `k${key}`;
          if (what === "set") {
            assert.equal(tree.set({ order, value }), model.get(order));
            model.set(order, { order, value });
            assert.deepEqual(tree.get(order), { order, value });
            const stored = tree.get(order);
            if (stored !== undefined) model.set(order, stored);
          } else if (what === "delete") {
            assert.equal(tree.delete(order), model.get(order));
            model.delete(order);
          } else if (what === "clone" && trees.length < 5) {
            trees.push({ tree: tree.clone(), model: new Map(model) });
          } else at = key % trees.length;
        }
        for (const { tree, model } of trees) {
          const all = sorted(model);
          assert.equal(tree.size, all.length);
          assert.deepEqual(contents(tree), all);
          const inside = all.filter(({ order }) => order >= "k15" && order < "k3");
          assert.deepEqual(contents(tree, "k15", "k3"), inside);
          assert.equal(tree.rank("k3") - tree.rank("k15"), inside.length);
        }
      }),
      { numRuns: 60, seed: 7 },
    );
  });

  it("stays sorted through thousands of ascending, descending and random keys", () => {
    const tree = new Tree<Item>();
    const pad = (n: number): string => String(n).padStart(6, "0");

    for (let n = 0; n < 5000; n += 1) tree.set({ order: pad(n), value: n });
    for (let n = 9999; n >= 5000; n -= 1) tree.set({ order: pad(n), value: n });
    for (let n = 0; n < 10_000; n += 1) if (n % 3 !== 0) tree.delete(pad((n * 7919) % 10_000));

    const kept = contents(tree).map(({ value }) => value);
    assert.equal(kept.length, tree.size);
    assert.deepEqual(
      kept,
      kept.toSorted((a, b) => a - b),
    );
    for (const [rank, value] of kept.entries()) assert.equal(tree.rank(pad(value)), rank);
    for (const value of kept) tree.delete(pad(value));
    assert.equal(tree.size, 0);
    assert.deepEqual(contents(tree), []);
  });

  it("is cloned in constant time", () => {
    const tree = new Tree<Item>();
    for (let n = 0; n < 50_000; n += 1) tree.set({ order: String(n), value: n });

    const milliseconds = [1, 2, 3, 4, 5].map(() => {
      const start = process.cpuUsage();
      for (let n = 0; n < 1000; n += 1) tree.clone();
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1000;
    });

    // The minimum of five runs, because a garbage collection may fall into one of them.
    assert.ok(Math.min(...milliseconds) < 100, `1,000 clones took ${milliseconds.join(", ")} ms`);
  });
});
