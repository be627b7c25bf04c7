import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { NetworkError } from "@homeostat/core";
import { broken, refusal } from "../testing/api-model.ts";
import { Bench, bookmarkText, errorText, eventText, listText, newWidget, widget } from "../testing/cache-bench.ts";

describe("a reflector", () => {
  it("lists the newest state and then watches from its version, with a random timeout", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget);

    await bench.settle();
    const { list } = bench.call;
    await bench.list(7, [newWidget("a", { version: 5 }), newWidget("b", { version: 6 })]);
    const { watch } = await bench.watch();

    assert.deepEqual(Object.keys(list ?? {}), ["signal"], "no version, no limit");
    assert.equal(watch?.resourceVersion, "7");
    assert.ok(watch.timeoutSeconds >= 150 && watch.timeoutSeconds <= 220);
    assert.ok(widgets.isSynced);
    assert.deepEqual([...widgets.keys()], ["default/a", "default/b"]);
    assert.equal(widgets.get("default/a")?.metadata.managedFields, undefined);
  });

  it("applies changes, however the stream is split into chunks", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget);
    await bench.list(7, [newWidget("a", { version: 5 })]);
    const watch = await bench.watch();
    const text =
      eventText("ADDED", newWidget("é", { version: 8 })) +
      eventText("MODIFIED", newWidget("a", { version: 9, size: 2 })) +
      eventText("DELETED", newWidget("é", { version: 10 }));

    for (const byte of Buffer.from(text)) watch.body.push(Buffer.from([byte]));
    await bench.settle();

    assert.deepEqual([...widgets.keys()], ["default/a"]);
    assert.equal(widgets.get("default/a")?.spec.size, 2);
    assert.equal(widgets.health.version, "10");
  });

  it("resumes from the last version at once, without a list, when the server ends the watch", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget);
    await bench.list(7, []);
    const first = await bench.watch();
    await bench.send(first, eventText("ADDED", newWidget("a", { version: 9 })));

    first.body.end();
    const second = await bench.watch();
    await bench.send(second, bookmarkText(20));
    second.body.end();
    const third = await bench.watch();

    assert.equal(second.watch?.resourceVersion, "9", "the version of the last event");
    assert.equal(third.watch?.resourceVersion, "20", "or of the last bookmark");
    assert.equal(widgets.health.lists, 1);
    assert.equal(widgets.health.reconnects, 2);
    assert.equal(widgets.health.error, undefined);
  });

  for (const [position, break_] of Object.entries({
    "as an event": async (bench: Bench) => bench.send(await bench.watch(), errorText(410)),
    "when the watch is opened": async (bench: Bench) => {
      await bench.settle();
      bench.call.refuse(refusal(410));
    },
  })) {
    it(`lists again after a 410 ${position}, and parses only changed objects`, async () => {
      await using bench = new Bench();
      using widgets = bench.cache.informer(widget);
      await bench.list(
        7,
        ["same", "changed", "gone", "recreated"].map((name) => newWidget(name, { version: 5 })),
      );
      const before = widgets.get("default/same");
      const events: string[] = [];
      using subscription = widgets.subscribe(({ type, key, object }) => {
        events.push(`${type} ${key} ${object.metadata.uid} ${object.metadata.resourceVersion}`);
      });
      await subscription.replayed;
      events.length = 0;

      await break_(bench);
      await bench.list(30, [
        newWidget("same", { version: 5 }),
        newWidget("changed", { version: 20 }),
        newWidget("recreated", { version: 25, uid: "another" }),
        newWidget("new", { version: 28 }),
      ]);

      assert.deepEqual(events, [
        "update default/changed uid-changed 20",
        "delete default/recreated uid-recreated 5",
        "add default/recreated another 25",
        "add default/new uid-new 28",
        "delete default/gone uid-gone 5",
      ]);
      assert.equal(widgets.get("default/same"), before, "not even parsed again");
      assert.equal(widgets.health.gone, 1);
      assert.equal((await bench.watch()).watch?.resourceVersion, "30");
    });
  }

  it("restarts a paged list as a whole after a 410 between its pages", async () => {
    await using bench = new Bench({ list: "pages", pageSize: 1 });
    using widgets = bench.cache.informer(widget);
    await bench.settle();
    assert.equal(bench.call.list?.limit, 1);
    await bench.list(7, [newWidget("a", { version: 5 })], "token");
    assert.equal(bench.call.list?.continue, "token");

    bench.call.refuse(refusal(410));
    await bench.settle();

    assert.deepEqual(Object.keys(bench.call.list ?? {}), ["signal"]);
    await bench.list(9, [newWidget("b", { version: 8 })]);
    assert.deepEqual([...widgets.keys()], ["default/b"], "the objects of the first page are removed");
    assert.equal(widgets.health.gone, 1);
  });

  it("waits for the Retry-After of a busy server and does not list again", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget);
    await bench.list(7, []);
    for (let n = 0; n < 10; n += 1) {
      await bench.settle();
      bench.call.refuse(refusal(429, "1"));
      await bench.settle();
      assert.ok(bench.isWaiting, "not before the second has passed");
      await bench.clock.advance(999);
      assert.ok(bench.isWaiting);
      await bench.clock.advance(501);
    }

    assert.equal((await bench.watch()).watch?.resourceVersion, "7");
    assert.equal(widgets.health.busy, 10);
    assert.equal(widgets.health.lists, 1);
  });

  it("retries every second or two while connections are refused, and lists at once after a 410", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget);
    await bench.list(7, []);
    for (let n = 0; n < 20; n += 1) {
      await bench.settle();
      bench.call.refuse(new NetworkError({ socketCode: "ECONNREFUSED" }));
      await bench.settle();
      assert.ok(bench.isWaiting);
      await bench.clock.advance(2000);
    }
    assert.equal(widgets.health.failures, 20);

    bench.call.refuse(refusal(410));
    await bench.list(9, [newWidget("a", { version: 8 })]);

    assert.deepEqual([...widgets.keys()], ["default/a"]);
  });

  it("backs off before a list that follows a list if every watch gets a 410", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget);
    await bench.list(7, []);
    await bench.settle();
    bench.call.refuse(refusal(410));
    await bench.list(8, []);

    await bench.settle();
    bench.call.refuse(refusal(410));
    await bench.settle();

    assert.ok(bench.isWaiting);
    await bench.clock.advance(1600);
    await bench.list(9, []);
    assert.equal(widgets.health.gone, 2);
  });

  it("backs off while the server fails, and resets the backoff after a healthy watch", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget);
    await bench.list(7, []);
    const waits: number[] = [];
    for (let n = 0; n < 12; n += 1) {
      await bench.settle();
      bench.call.refuse(broken());
      await bench.settle();
      waits.push(bench.clock.nextDueMs ?? 0);
      await bench.clock.advance(30_000);
    }
    assert.ok(
      waits.every((wait, n) => wait >= 800 && wait <= Math.min(30_000, 800 * 2 ** (n + 1))),
      String(waits),
    );
    assert.ok(Math.max(...waits) > 10_000);
    assert.equal(widgets.health.failures, 12);

    const watch = await bench.watch();
    await bench.clock.advance(1000);
    watch.body.fail(broken());
    await bench.settle();

    assert.ok((bench.clock.nextDueMs ?? 0) <= 1600);
    assert.equal(widgets.health.lists, 1, "there was no other list");
  });

  it("treats a watch that ends at once without an event as a failure", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget);
    await bench.list(7, []);

    (await bench.watch()).body.end();
    await bench.settle();

    assert.ok(bench.isWaiting);
    assert.ok((bench.clock.nextDueMs ?? 0) >= 800);
    assert.equal(widgets.health.failures, 1);
  });

  it("reconnects when no byte arrives for 90 seconds, without counting a failure", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget);
    await bench.list(7, []);
    const watch = await bench.watch();
    await bench.clock.advance(60_000);
    await bench.send(watch, eventText("ADDED", newWidget("a", { version: 9 })));

    await bench.clock.advance(89_000);
    assert.ok(bench.isWaiting, "half a minute after the last check, but not 90 seconds after the last byte");
    await bench.clock.advance(1000);

    assert.ok(watch.body.isClosed);
    assert.equal((await bench.watch()).watch?.resourceVersion, "9");
    assert.equal(widgets.health.silences, 1);
    assert.equal(widgets.health.error, undefined);
    assert.equal(widgets.health.lists, 1);
  });

  it("stays connected if only bookmarks arrive", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget);
    await bench.list(7, []);
    const watch = await bench.watch();

    for (let minute = 0; minute < 60; minute += 1) {
      await bench.clock.advance(60_000);
      await bench.send(watch, bookmarkText(100 + minute));
    }

    assert.equal(widgets.health.reconnects, 0);
    assert.equal(widgets.health.version, "159");
    assert.equal(widgets.health.lastBookmarkAt, bench.clock.now());
  });

  it("abandons a list that falls silent, too", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget);
    await bench.settle();
    const { call } = bench;
    call.respond();
    call.body.push(listText(7, [newWidget("a", { version: 5 })]).slice(0, 100));

    await bench.clock.advance(90_000);

    assert.ok(call.body.isClosed);
    await bench.clock.advance(1600);
    await bench.list(7, [newWidget("a", { version: 5 })]);
    assert.ok(widgets.isSynced);
  });

  it("does not accept a truncated list", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget);
    await bench.settle();
    const { call } = bench;
    call.respond();
    call.body.push(listText(7, [newWidget("a", { version: 5 }), newWidget("b", { version: 6 })]).slice(0, -2));
    call.body.end();
    await bench.settle();

    assert.equal(widgets.isSynced, false);
    await bench.clock.advance(1600);
    await bench.list(9, [newWidget("b", { version: 8 })]);
    assert.deepEqual([...widgets.keys()], ["default/b"], "objects only in the first attempt are removed");
  });

  it("resumes from the last valid event after a malformed one", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget);
    await bench.list(7, []);

    await bench.send(await bench.watch(), eventText("ADDED", newWidget("a", { version: 9 })), "<html>\n");

    assert.match(String(widgets.health.error), /watch event/);
    await bench.clock.advance(1600);
    assert.equal((await bench.watch()).watch?.resourceVersion, "9");
  });

  it("lists again when the server keeps refusing a version or calls it invalid", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget);
    await bench.list(7, []);
    for (let n = 0; n < 5; n += 1) {
      await bench.settle();
      bench.call.refuse(refusal(500));
      await bench.clock.advance(30_000);
    }
    assert.equal(bench.call.kind, "list");
    await bench.list(8, []);

    await bench.settle();
    bench.call.refuse(refusal(400));
    await bench.clock.advance(30_000);

    assert.equal(bench.call.kind, "list");
    assert.equal(widgets.health.lists, 2);
  });

  it("refuses lists older than what it has seen, until it is clear that the server was restored from a backup", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget);
    await bench.list(70, [newWidget("a", { version: 50 }), newWidget("b", { version: 60 })]);
    await bench.send(await bench.watch(), eventText("DELETED", newWidget("b", { version: 80 })), errorText(410));

    for (let n = 0; n < 3; n += 1) {
      await bench.list(60, [newWidget("a", { version: 40 }), newWidget("b", { version: 60 })]);
      assert.deepEqual([...widgets.keys()], ["default/a"]);
      assert.equal(widgets.get("default/a")?.metadata.resourceVersion, "50");
      await bench.clock.advance(30_000);
    }
    assert.equal(widgets.health.refusedLists, 3);

    await bench.list(61, [newWidget("a", { version: 40, size: 9 }), newWidget("b", { version: 60 })]);
    assert.equal(widgets.get("default/a")?.spec.size, 9);
    assert.equal((await bench.watch()).watch?.resourceVersion, "61");
  });

  it("drops its tombstones when the server was restored to a state before the deletion", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget);
    await bench.list(70, [newWidget("a", { version: 50 })]);
    const watch = await bench.watch();
    const key = { namespace: "default", name: "a" };
    bench.cache.write(widget, key).wrote(newWidget("a", { version: 90 }));
    bench.cache.write(widget, key).deleted({ kind: "Status", details: { uid: "uid-a" } });
    await bench.send(watch, errorText(410));

    for (let n = 0; n < 3; n += 1) {
      await bench.list(60, [newWidget("a", { version: 50 })]);
      assert.equal(widgets.size, 0);
      await bench.clock.advance(30_000);
    }
    await bench.list(61, [newWidget("a", { version: 50 })]);

    assert.deepEqual([...widgets.keys()], ["default/a"]);
  });

  it("lists once more and trusts the result when a list has an object that should have been known", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget);
    await bench.list(70, []);
    await bench.send(await bench.watch(), errorText(410));

    await bench.list(75, [newWidget("lost", { version: 60 })]);
    assert.equal(widgets.size, 0, "it may have been deleted since");
    await bench.clock.advance(3200);
    await bench.list(75, [newWidget("lost", { version: 60 })]);

    assert.equal(widgets.size, 1, "it was not");
    assert.deepEqual(
      bench.notes.filter(({ type }) => type === "refused"),
      [{ type: "refused", outcome: "suspect" }],
    );
  });

  it("works with a server whose versions are not numbers", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget);
    await bench.list("x", [newWidget("a", { version: "q" }), newWidget("b", { version: "r" })]);
    const before = widgets.get("default/a");
    const watch = await bench.watch();
    await bench.send(watch, eventText("MODIFIED", newWidget("b", { version: "c", size: 5 })), errorText(410));

    await bench.list("y", [newWidget("a", { version: "q" })]);

    assert.equal(watch.watch?.resourceVersion, "x");
    assert.deepEqual([...widgets.keys()], ["default/a"]);
    assert.equal(widgets.get("default/a"), before, "unchanged bytes are not parsed again");
    assert.equal((await bench.watch()).watch?.resourceVersion, "y");
  });

  it("stops at once in every state and leaves nothing open", async () => {
    for (const stage of ["listing", "list", "watching", "watch", "waiting"]) {
      await using bench = new Bench();
      const widgets = bench.cache.informer(widget);
      await bench.settle();
      if (stage === "list") bench.call.respond();
      if (stage === "watching" || stage === "watch" || stage === "waiting") await bench.list(7, []);
      if (stage === "watch") await bench.watch();
      if (stage === "waiting") bench.call.refuse(broken());
      await bench.settle();

      widgets[Symbol.dispose]();
      await bench.settle();

      assert.deepEqual(bench.source.open, [], stage);
      assert.equal(bench.clock.pending, 0, stage);
      assert.deepEqual(bench.cache.stats(), []);
    }
  });
});

describe("a reflector that starts with a stream", () => {
  it("loads everything from a watch until the closing bookmark, and continues on the same connection", async () => {
    await using bench = new Bench({ list: "stream" });
    using widgets = bench.cache.informer(widget);
    const watch = await bench.watch();
    assert.equal(watch.watch?.sendInitialEvents, true);
    assert.equal(watch.watch.resourceVersion, "");
    await bench.send(watch, eventText("ADDED", newWidget("a", { version: 5 })));
    assert.equal(widgets.isSynced, false);

    await bench.send(
      watch,
      // In one chunk: events after the bookmark are no longer part of the initial events.
      bookmarkText(7, { isEnd: true }) +
        eventText("ADDED", newWidget("b", { version: 8 })) +
        eventText("DELETED", newWidget("a", { version: 9 })),
    );
    watch.body.end();

    assert.ok(widgets.isSynced);
    assert.deepEqual([...widgets.keys()], ["default/b"]);
    assert.equal((await bench.watch()).watch?.resourceVersion, "9");
    assert.equal(widgets.health.lists, 1);
  });

  it("removes objects missing from the stream after a 410", async () => {
    await using bench = new Bench({ list: "stream" });
    using widgets = bench.cache.informer(widget);
    const watch = await bench.watch();
    await bench.send(watch, eventText("ADDED", newWidget("a", { version: 5 })), bookmarkText(7, { isEnd: true }));
    await bench.send(watch, errorText(410));

    const next = await bench.watch();
    await bench.send(next, eventText("ADDED", newWidget("b", { version: 8 })));
    assert.equal(widgets.size, 2, "not before the stream is complete");
    await bench.send(next, bookmarkText(9, { isEnd: true }));

    assert.deepEqual([...widgets.keys()], ["default/b"]);
  });

  it("falls back to a list if the server does not support streams", async () => {
    for (const status of [400, 403, 422]) {
      await using bench = new Bench({ list: "stream" });
      using widgets = bench.cache.informer(widget);
      await bench.settle();

      bench.call.refuse(refusal(status));
      await bench.list(7, [newWidget("a", { version: 5 })]);

      assert.ok(widgets.isSynced, String(status));
    }
  });

  it("falls back to a list after an ordinary bookmark or two broken streams", async () => {
    await using bench = new Bench({ list: "stream" });
    using widgets = bench.cache.informer(widget);
    await bench.send(await bench.watch(), eventText("ADDED", newWidget("a", { version: 5 })), bookmarkText(7));
    await bench.clock.advance(1600);
    await bench.list(7, [newWidget("a", { version: 5 })]);
    assert.ok(widgets.isSynced);

    await using other = new Bench({ list: "stream" });
    using others = other.cache.informer(widget);
    for (let n = 0; n < 2; n += 1) {
      await other.watch();
      await other.clock.advance(90_000 + 3200);
    }
    await other.list(7, []);
    assert.ok(others.isSynced);
    assert.equal(others.health.silences, 2);
  });
});
