import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import type { Entry } from "./entry.ts";
import { decodeSample, newStore, numberOf, type Sample, sample } from "../testing/store-sample.ts";
import { Store } from "./store.ts";
import type { View } from "./view.ts";

function viewAt(store: Store<Sample>, revision: number): View<Sample> {
  const found = store.at(revision);
  assert.equal(found.outcome, "found");
  return found.view;
}

function numbers(entries: readonly Entry<Sample>[]): number[] {
  return entries.map(numberOf);
}

describe("Store", () => {
  it("starts at the revision of an empty etcd and increments it with every write", () => {
    const { store } = newStore();

    const before = store.revision;
    const created = store.create("pods/default/a", sample(1));
    const updated = store.update("pods/default/a", sample(2));
    const deleted = store.delete("pods/default/a");

    assert.equal(before, 1);
    assert.equal(created.outcome === "written" && created.entry.revision, 2);
    assert.equal(updated.outcome === "written" && updated.entry.revision, 3);
    assert.equal(updated.outcome === "written" && updated.entry.createdRevision, 2);
    assert.equal(deleted.outcome === "deleted" && deleted.revision, 4);
    assert.equal(deleted.outcome === "deleted" && numberOf(deleted.entry), 2);
    assert.equal(store.revision, 4);
  });

  it("changes nothing when the precondition of a write fails", () => {
    const { store } = newStore();
    store.create("pods/default/a", sample(1));

    const exists = store.create("pods/default/a", sample(2));
    const conflict = store.update("pods/default/a", sample(2), { ifRevision: 9 });
    const conflictingDelete = store.delete("pods/default/a", { ifRevision: 1 });
    const missing = store.update("pods/default/b", sample(2));
    const missingDelete = store.delete("pods/default/b");

    assert.equal(exists.outcome === "exists" && exists.current.revision, 2);
    assert.equal(conflict.outcome === "conflict" && conflict.current.revision, 2);
    assert.equal(conflictingDelete.outcome, "conflict");
    assert.equal(missing.outcome, "missing");
    assert.equal(missingDelete.outcome, "missing");
    assert.equal(store.revision, 2);
    assert.equal(store.update("pods/default/a", sample(3), { ifRevision: 2 }).outcome, "written");
  });

  it("passes the revision of the write to the function that encodes the value", () => {
    const { store } = newStore();

    store.create("pods/default/a", sample(1));

    const entry = store.get("pods/default/a");
    assert.ok(entry !== undefined);
    assert.equal(store.read(entry).metadata.resourceVersion, "2");
  });

  it("is unchanged when encoding a value throws or writes to the store", () => {
    const { store } = newStore();

    assert.throws(() => store.create("a", () => assert.fail("no")), { message: "no" });
    assert.throws(
      () =>
        store.create("a", (revision) => {
          store.create("b", sample(1));
          return { bytes: new Uint8Array(revision) };
        }),
      { code: "ARGUMENT" },
    );

    assert.equal(store.get("a"), undefined);
    assert.equal(store.revision, 2);
  });

  it("returns the state at any revision that is not compacted", () => {
    const { store } = newStore();
    store.create("pods/default/a", sample(1));
    store.create("pods/default/b", sample(2));
    store.update("pods/default/a", sample(3));
    store.delete("pods/default/b");

    const states = [1, 2, 3, 4, 5].map((revision) => numbers(viewAt(store, revision).entries({ prefix: "pods/" })));

    assert.deepEqual(states, [[], [1], [1, 2], [3, 2], [3]]);
    assert.deepEqual(store.at(6), { outcome: "future", newest: 5 });
  });

  it("compacts the history on request and reports the oldest revision", () => {
    const { store } = newStore();
    for (let n = 0; n < 10; n += 1) store.create(`pods/default/${n}`, sample(n));
    const held = viewAt(store, 3);

    store.compact(6);

    assert.deepEqual(store.at(5), { outcome: "compacted", oldest: 6 });
    assert.equal(viewAt(store, 6).size, 5);
    assert.equal(store.compactedRevision, 6);
    assert.equal(held.size, 2, "a view that is held stays usable");
    store.compact();
    assert.deepEqual(store.at(10), { outcome: "compacted", oldest: 11 });
    assert.equal(viewAt(store, 11).size, 10);
  });

  it("compacts the history by count, by bytes and by age", async () => {
    const byCount = newStore({ history: { countMax: 3 } }).store;
    const byBytes = newStore({ history: { bytesMax: 250 } }).store;
    const { store: byAge, clock } = newStore({ history: { ageMsMax: 1000 } });
    byAge.create("a", sample(0));
    byBytes.create("a", sample(0));

    for (let n = 0; n < 10; n += 1) byCount.create(`a${n}`, sample(n));
    for (let n = 0; n < 10; n += 1) byBytes.update("a", sample(n));
    await clock.advance(600);
    byAge.update("a", sample(1));
    await clock.advance(600);

    assert.equal(byCount.compactedRevision, 8);
    assert.ok(byBytes.compactedRevision > 5 && byBytes.compactedRevision < 12, String(byBytes.compactedRevision));
    assert.equal(byAge.compactedRevision, 2, "the first is too old, the second is not");
  });

  it("keeps only the bytes alive, not the buffer they were cut from", () => {
    const { store } = newStore();
    const pool = new Uint8Array(1_000_000);

    store.create("a", pool.subarray(10, 20));

    assert.equal(store.get("a")?.bytes.buffer.byteLength, 10);
  });

  it("parses a value once while it is cached, and again after its eviction", () => {
    let parsed = 0;
    const clock = new FakeClock();
    const store = new Store<Sample>({
      clock,
      memoCountMax: 2,
      decode: (bytes) => {
        parsed += 1;
        return decodeSample(bytes);
      },
    });
    const bytes = new TextEncoder().encode('{"n":1}');
    const entries = ["a", "b", "c"].map((key) => {
      const written = store.create(key, bytes);
      assert.equal(written.outcome, "written");
      return written.entry;
    });

    for (const entry of entries) {
      store.read(entry);
      store.read(entry);
    }
    const afterFirst = parsed;
    for (const entry of entries.slice(0, 1)) store.read(entry);

    assert.equal(afterFirst, 3);
    assert.equal(parsed, 4);
  });

  it("starts any number of independent stores from its snapshot", () => {
    const { store, clock } = newStore();
    for (let n = 0; n < 200; n += 1) store.create(`pods/default/${n}`, sample(n));

    const snapshot = store.snapshot();
    const [left, right] = [0, 1].map(() => new Store<Sample>({ clock, decode: decodeSample, from: snapshot }));
    assert.ok(left !== undefined && right !== undefined);
    left.delete("pods/default/7");
    right.update("pods/default/7", sample(-1));
    store.update("pods/default/8", sample(-2));

    assert.equal(left.get("pods/default/7"), undefined);
    assert.deepEqual(numbers([right.get("pods/default/7")].filter((entry) => entry !== undefined)), [-1]);
    assert.deepEqual(numbers([store.get("pods/default/7")].filter((entry) => entry !== undefined)), [7]);
    assert.deepEqual(numbers([left.get("pods/default/8")].filter((entry) => entry !== undefined)), [8]);
    assert.equal(left.revision, 202);
    assert.equal(viewAt(left, 100).size, 99, "the fork has the history");
    assert.equal(snapshot.view.size, 200);
  });

  it("ages the history of a fork on the clock of the fork", async () => {
    const { store, clock } = newStore({ history: { ageMsMax: 1000 } });
    await clock.advance(500_000);
    store.create("a", sample(1));
    await clock.advance(400);
    const other = new FakeClock();

    const fork = new Store<Sample>({
      clock: other,
      decode: decodeSample,
      history: { ageMsMax: 1000 },
      from: store.snapshot(),
    });
    const atFirst = fork.compactedRevision;
    await other.advance(500);
    const later = fork.compactedRevision;
    await other.advance(200);

    assert.deepEqual([atFirst, later, fork.compactedRevision], [1, 1, 2]);
  });

  it("forks 10,000 objects in less than a millisecond", () => {
    const { store, clock } = newStore();
    for (let n = 0; n < 10_000; n += 1) store.create(`pods/default/${n}`, sample(n));
    const times: number[] = [];

    for (let n = 0; n < 30; n += 1) {
      store.update("pods/default/7", sample(n));
      const start = process.hrtime.bigint();
      const fork = new Store<Sample>({ clock, decode: decodeSample, from: store.snapshot() });
      times.push(Number(process.hrtime.bigint() - start) / 1e6);
      assert.equal(fork.size, 10_000);
    }

    assert.ok(Math.min(...times) < 1, `${Math.min(...times)} ms`);
  });
});
