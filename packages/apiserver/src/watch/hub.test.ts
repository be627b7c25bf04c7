import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nextTurn } from "@homeostat/core";
import type { Entry } from "../storage/entry.ts";
import type { Journal, JournalListener } from "../storage/journal.ts";
import { colorOf, newStore, type Sample, sample } from "../testing/store-sample.ts";
import type { StoreOptions } from "../storage/store.ts";
import { WatchHub, type WatchHubOptions } from "./hub.ts";
import type { Shape } from "./shape.ts";
import { brief, readWatch, shape, startWatch } from "../testing/watch-reading.ts";

function newHub(
  hubOptions: Partial<WatchHubOptions<Sample>> = {},
  storeOptions: Partial<StoreOptions<Sample>> = {},
): ReturnType<typeof newStore> & { hub: WatchHub<Sample> } {
  const { store, clock } = newStore(storeOptions);
  return { store, clock, hub: new WatchHub<Sample>({ store, ...hubOptions }) };
}

function isRed(entry: Entry<Sample>): boolean {
  return colorOf(entry) === "red";
}

describe("a watch", () => {
  it("sends every change after its revision, first those from history, then new ones", async () => {
    const { store, hub } = newHub();
    store.create("pods/a/1", sample(1));
    store.create("pods/a/2", sample(2));
    store.update("pods/a/1", sample(3));

    const { all } = readWatch(hub, { from: { after: 2 } });
    await nextTurn();
    store.delete("pods/a/2");
    store.create("jobs/a/1", sample(4));

    assert.deepEqual(await all(), ["ADDED 2 @3", "MODIFIED 3 @4", "DELETED 2 @5"]);
  });

  it("sends the initial state and a bookmark at its end on request", async () => {
    const { store, hub } = newHub();
    store.create("pods/b/1", sample(1));
    store.create("pods/a/1", sample(2));
    store.create("jobs/a/1", sample(3));

    const { all } = readWatch(hub, { from: { initial: true, marksEnd: true } });
    const { all: plain } = readWatch(hub, { from: { initial: true } });
    store.update("pods/b/1", sample(4));

    const state = ["ADDED 2 @3", "ADDED 1 @2"];
    assert.deepEqual(await all(), [...state, "BOOKMARK - @4 initial end", "MODIFIED 4 @5"]);
    assert.deepEqual(await plain(), [...state, "MODIFIED 4 @5"]);
  });

  it("sends a large initial state in batches while writes continue", async () => {
    const { store, hub } = newHub();
    for (let n = 0; n < 1000; n += 1) store.create(`pods/a/${n}`, sample(n));

    const watcher = startWatch(hub, { from: { initial: true, marksEnd: true } });
    const first = await watcher.next();
    store.update("pods/a/999", sample(-1));
    const events = (first ?? []).map(brief);
    while (!events.includes("MODIFIED -1 @1002")) events.push(...((await watcher.next()) ?? []).map(brief));

    assert.ok(first !== undefined && first.length < 1000);
    assert.equal(events.length, 1002);
    assert.equal(events.at(-2), "BOOKMARK - @1001 initial end");
    assert.ok(events.includes("ADDED 999 @1001"), "the initial state does not contain later writes");
  });

  it("sends ADDED or DELETED for an object that starts or stops matching, with its last matching state", async () => {
    const { store, hub } = newHub();
    const { all } = readWatch(hub, { matches: isRed });

    store.create("pods/a/1", sample(1, "blue"));
    store.update("pods/a/1", sample(2, "red"));
    store.update("pods/a/1", sample(3, "red"));
    store.update("pods/a/1", sample(4, "blue"));
    store.update("pods/a/1", sample(5, "blue"));
    store.delete("pods/a/1");

    assert.deepEqual(await all(), ["ADDED 2 @3", "MODIFIED 3 @4", "DELETED 3 @5"]);
  });

  it("can be limited to one key", async () => {
    const { store, hub } = newHub();
    store.create("pods/a/1", sample(1));
    store.create("pods/a/11", sample(2));

    const { all } = readWatch(hub, { from: { initial: true }, key: "pods/a/1" });
    store.update("pods/a/11", sample(3));
    store.update("pods/a/1", sample(4));

    assert.deepEqual(await all(), ["ADDED 1 @2", "MODIFIED 4 @5"]);
  });

  it("does not start at a compacted revision, and waits for a future one", async () => {
    const { store, hub } = newHub();
    for (let n = 0; n < 5; n += 1) store.create(`pods/a/${n}`, sample(n));
    store.compact(4);

    const old = hub.watch({ prefix: "pods/", from: { after: 3 }, shape });
    const oldest = readWatch(hub, { from: { after: 4 } });
    const future = readWatch(hub, { from: { after: 8 } });
    for (let n = 5; n < 9; n += 1) store.create(`pods/a/${n}`, sample(n));

    assert.deepEqual(old, { outcome: "compacted", oldest: 4 });
    assert.equal((await oldest.all()).length, 6);
    assert.deepEqual(await future.all(), ["ADDED 7 @9", "ADDED 8 @10"]);
  });

  it("sends bookmarks with the newest revision every minute, and once more before its end", async () => {
    const { store, hub, clock } = newHub();
    const reading = readWatch(hub, { bookmarks: true, timeoutMs: 150_000 });
    const silent = readWatch(hub);

    store.create("jobs/a/1", sample(1));
    await clock.advance(59_999);
    const before = [...reading.events];
    await clock.advance(1);
    store.create("pods/a/1", sample(2));
    await clock.advance(60_000);
    await clock.advance(28_000);
    const atLast = [...reading.events];
    await clock.advance(2000);

    assert.deepEqual(before, []);
    assert.deepEqual(atLast, ["BOOKMARK - @2", "ADDED 2 @3", "BOOKMARK - @3", "BOOKMARK - @3"]);
    assert.deepEqual(reading.watcher.end, { why: "deadline" });
    assert.deepEqual(await silent.all(), ["ADDED 2 @3"]);
    hub[Symbol.dispose]();
    assert.equal(clock.pending, 0, "no timer is left");
  });

  it("ends only for a reader that is too slow", async () => {
    const { store, hub } = newHub({ lagMax: 100 });
    const slow = startWatch(hub);
    const { watcher, all } = readWatch(hub);
    const idle = readWatch(hub, { prefix: "jobs/" });
    await nextTurn();

    for (let n = 0; n < 150; n += 1) {
      store.create(`pods/a/${n}`, sample(n));
      await nextTurn();
    }

    assert.deepEqual(slow.end, { why: "slow" });
    assert.equal(await slow.next(), undefined);
    assert.equal((await all()).length, 150);
    assert.equal(watcher.end, undefined);
    assert.equal(idle.watcher.end, undefined);
    assert.equal(hub.size, 2);
  });

  it("ends when the next change of its reader is compacted", async () => {
    const { store, hub } = newHub();
    const slow = startWatch(hub);
    const idle = readWatch(hub, { prefix: "jobs/" });
    await nextTurn();
    for (let n = 0; n < 5; n += 1) store.create(`pods/a/${n}`, sample(n));

    store.compact();
    const next = await slow.next();
    store.create("jobs/a/1", sample(9));

    assert.equal(next, undefined);
    assert.deepEqual(slow.end, { why: "slow" });
    assert.deepEqual(await idle.all(), ["ADDED 9 @7"], "no matching change was compacted");
  });

  it("shares an encoded event with all watchers of the same shape", async () => {
    const { store, hub } = newHub();
    let encoded = 0;
    const counting: Shape<Sample> = {
      ...shape,
      encode: (type, entry, revision) => {
        encoded += 1;
        return shape.encode(type, entry, revision);
      },
    };
    const watchers = Array.from({ length: 50 }, () => startWatch(hub, { shape: counting }));
    const selecting = startWatch(hub, { shape: counting, matches: isRed });
    const other = startWatch(hub, { shape: { ...counting, id: "table" } });

    store.create("pods/a/1", sample(1));
    const batches = await Promise.all([...watchers, selecting].map((watcher) => watcher.next()));
    await other.next();

    assert.equal(encoded, 2);
    assert.equal(new Set(batches.map((batch) => batch?.[0])).size, 1, "all watchers got the same bytes");
  });

  it("encodes its first event with firstShape", async () => {
    const { store, hub } = newHub();
    const columns = new TextEncoder().encode(
      '{"type":"ADDED","object":{"n":100,"metadata":{"resourceVersion":"0"}}}\n',
    );
    const { all } = readWatch(hub, { firstShape: { ...shape, id: "first", encode: () => columns } });

    store.create("pods/a/1", sample(1));
    store.create("pods/a/2", sample(2));

    assert.deepEqual(await all(), ["ADDED 100 @0", "ADDED 2 @3"]);
  });

  it("keeps the order of events when encoding is asynchronous", async () => {
    const { store, hub, clock } = newHub();
    const slow: Shape<Sample> = {
      ...shape,
      id: "slow",
      encode: async (type, entry, revision) => {
        await clock.sleep(revision === 2 ? 1000 : 10);
        return shape.encode(type, entry, revision);
      },
    };
    const { all } = readWatch(hub, { shape: slow });

    store.create("pods/a/1", sample(1));
    store.create("pods/a/2", sample(2));
    await clock.advance(2000);

    assert.deepEqual(await all(), ["ADDED 1 @2", "ADDED 2 @3"]);
  });

  it("ends with the error when decoding or encoding fails, without failing the write", async () => {
    const { store, hub } = newHub();
    const broken = new Error("broken");
    const encoding = readWatch(hub, { shape: { ...shape, id: "a", encode: () => Promise.reject(broken) } });
    const matching = readWatch(hub, {
      matches: () => {
        throw broken;
      },
    });
    const fine = readWatch(hub);
    await nextTurn();

    const written = store.create("pods/a/1", sample(1));

    assert.equal(written.outcome, "written");
    assert.deepEqual(await fine.all(), ["ADDED 1 @2"]);
    assert.deepEqual(encoding.watcher.end, { why: "failed", error: broken });
    assert.deepEqual(matching.watcher.end, { why: "failed", error: broken });
  });

  it("refuses concurrent reads and can be left early", async () => {
    const { store, hub } = newHub();
    const watcher = startWatch(hub);

    const first = watcher.next();
    await assert.rejects(watcher.next(), { code: "ARGUMENT" });
    store.create("pods/a/1", sample(1));
    await first;
    store.create("pods/a/2", sample(1));
    for await (const batch of watcher) {
      assert.equal(batch.length, 1);
      break;
    }

    assert.deepEqual(watcher.end, { why: "closed" });
    assert.equal(hub.size, 0);
  });

  it("does not show changes that are not saved yet", async () => {
    let listener: JournalListener<Sample> | undefined;
    const journal: Journal<Sample> = {
      persistedRevision: 1,
      failure: undefined,
      append: () => undefined,
      persisted: () => undefined,
      listen: (given) => (listener = given),
    };
    const { store, hub } = newHub({}, { journal });
    const reading = readWatch(hub);

    store.create("pods/a/1", sample(1));
    store.create("pods/a/2", sample(2));
    const initial = readWatch(hub, { from: { initial: true } });
    const before = [...(await reading.all()), ...(await initial.all())];
    listener?.persisted(2);

    assert.deepEqual(before, []);
    assert.deepEqual(await reading.all(), ["ADDED 1 @2"]);
    assert.deepEqual(await initial.all(), ["ADDED 1 @2"]);
  });
});

describe("watch faults", () => {
  it("pause watches, including bookmarks, until disposed", async () => {
    const { store, hub, clock } = newHub();
    const paused = readWatch(hub, { bookmarks: true });
    const other = readWatch(hub, { prefix: "jobs/" });
    await nextTurn();

    const pause = hub.faults.pause(({ prefix }) => prefix === "pods/");
    store.create("pods/a/1", sample(1));
    store.create("jobs/a/1", sample(2));
    const late = readWatch(hub, { from: { initial: true } });
    await clock.advance(70_000);
    const during = [...paused.events, ...(await late.all())];
    pause[Symbol.dispose]();

    assert.deepEqual(during, []);
    assert.deepEqual(await other.all(), ["ADDED 2 @3"]);
    assert.deepEqual(await paused.all(), ["ADDED 1 @2", "BOOKMARK - @3"]);
    assert.deepEqual(await late.all(), ["ADDED 1 @2"]);
  });

  it("delay changes and keep their order", async () => {
    const { store, hub, clock } = newHub();
    const { events, all } = readWatch(hub);

    const delay = hub.faults.delay(1000);
    store.create("pods/a/1", sample(1));
    await clock.advance(500);
    store.create("pods/a/2", sample(2));
    await clock.advance(500);
    const atOne = [...events];
    await clock.advance(500);
    const atLast = [...events];
    store.create("pods/a/3", sample(3));
    delay[Symbol.dispose]();

    assert.deepEqual(atOne, ["ADDED 1 @2"]);
    assert.deepEqual(atLast, ["ADDED 1 @2", "ADDED 2 @3"]);
    assert.equal((await all()).length, 3, "delayed changes are sent at once when the fault ends");
    hub[Symbol.dispose]();
    assert.equal(clock.pending, 0);
  });

  it("drop watches, expire them with 410, and refuse to resume them", async () => {
    const { store, hub } = newHub();
    const one = startWatch(hub);
    const two = startWatch(hub, { prefix: "jobs/" });

    const dropped = hub.faults.drop(({ prefix }) => prefix === "pods/");
    const expired = hub.faults.expire();
    const refusal = hub.faults.refuse();
    const refused = hub.watch({ prefix: "pods/", from: { after: 1 }, shape });
    const initial = hub.watch({ prefix: "pods/", from: { initial: true }, shape });
    refusal[Symbol.dispose]();
    const resumed = hub.watch({ prefix: "pods/", from: { after: 1 }, shape });

    assert.deepEqual([one.end, two.end], [{ why: "dropped" }, { why: "expired" }]);
    assert.deepEqual([dropped, expired], [1, 1]);
    assert.deepEqual(refused, { outcome: "compacted", oldest: store.compactedRevision });
    assert.deepEqual([initial.outcome, resumed.outcome], ["watching", "watching"]);
    assert.deepEqual(hub.faults.counts, { dropped: 1, expired: 1, refused: 1 });
  });
});
