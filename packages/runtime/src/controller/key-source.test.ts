import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, nextTurn, SeededRandom } from "@homeostat/core";
import { Site } from "../testing/sample-operator.ts";
import { followSource } from "./follow-source.ts";
import { KindReader } from "./kind-reader.ts";
import { keySource, type KeySource } from "./key-source.ts";

/** Follows a source as a controller does, until the signal aborts. */
function follow(source: KeySource, signal: AbortSignal): { readonly keys: string[]; readonly done: Promise<void> } {
  const keys: string[] = [];
  const target = {
    enqueue: (key: string) => void keys.push(key),
    failed: (_callback: string, error: unknown) => assert.fail(String(error)),
  };
  const parts = { source, type: Site, namespace: "default", reader: new KindReader([]), target };
  const done = followSource({ ...parts, clock: new FakeClock(), random: new SeededRandom(1) }, signal);
  return { keys, done };
}

describe("a key source", () => {
  it("enqueues keys for every controller that follows it", async () => {
    const stopping = new AbortController();
    const source = keySource({ name: "releases" });
    const one = follow(source, stopping.signal);
    const other = follow(source, stopping.signal);
    await nextTurn();

    source.enqueue("shop/a", { namespace: "shop", name: "b" });
    await nextTurn();
    source.enqueue("c");
    await nextTurn();

    assert.deepEqual(one.keys, ["shop/a", "shop/b", "default/c"]);
    assert.deepEqual(other.keys, one.keys);
    stopping.abort();
    await Promise.all([one.done, other.done]);
  });

  it("delivers a key once that is enqueued several times at once", async () => {
    const stopping = new AbortController();
    const source = keySource({ name: "releases" });
    const { keys, done } = follow(source, stopping.signal);
    await nextTurn();

    for (let count = 0; count < 1000; count += 1) source.enqueue("a", "b");
    await nextTurn();

    assert.deepEqual(keys, ["default/a", "default/b"]);
    stopping.abort();
    await done;
  });

  it("drops keys while no controller follows it, and serves the next term", async () => {
    const source = keySource({ name: "releases" });
    const first = new AbortController();
    const term = follow(source, first.signal);
    await nextTurn();
    first.abort();
    await term.done;

    source.enqueue("dropped");
    const second = new AbortController();
    const { keys, done } = follow(source, second.signal);
    await nextTurn();
    source.enqueue("kept");
    await nextTurn();

    assert.deepEqual([term.keys, keys], [[], ["default/kept"]]);
    second.abort();
    await done;
  });
});
