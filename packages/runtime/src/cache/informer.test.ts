import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ArgumentError, type KubeObject } from "@homeostat/core";
import { Bench, bookmarkText, eventText, newWidget, type Widget, widget } from "../testing/cache-bench.ts";
import { EventExpiredError, InformerClosedError } from "./errors.ts";
import type { ObjectEvent } from "./event.ts";

const bySize = ({ spec }: { spec: { size: number } }): string => String(spec.size);

describe("reading from an informer", () => {
  it("returns objects by key, by namespace and by labels, frozen and identical each time", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget);
    await bench.list(9, [
      newWidget("a", { version: 1, labels: { app: "web" } }),
      newWidget("b", { version: 2, namespace: "other", labels: { app: "web" } }),
      newWidget("c", { version: 3 }),
    ]);
    const names = (objects: readonly { metadata: { name?: string } }[]): unknown[] =>
      objects.map(({ metadata }) => metadata.name);

    const a = widgets.get("default/a");

    assert.equal(a, widgets.get({ namespace: "default", name: "a" }));
    assert.equal(
      a,
      widgets.list().find(({ metadata }) => metadata.name === "a"),
    );
    assert.ok(Object.isFrozen(a?.metadata.labels));
    assert.equal(widgets.get("default/missing"), undefined);
    assert.equal(widgets.has("other/b"), true);
    assert.deepEqual(names(widgets.list({ namespace: "default" })), ["a", "c"]);
    assert.deepEqual(names(widgets.list({ labels: "app=web" })), ["a", "b"]);
    assert.deepEqual(names(widgets.list({ labels: "!app", namespace: "default" })), ["c"]);
    assert.deepEqual(names(widgets.list({ namespace: "nowhere" })), []);
    assert.deepEqual([...widgets.keys("other")], ["other/b"]);
    assert.equal(widgets.size, 3);
    assert.ok(widgets.bytes.objects > 300 && widgets.bytes.held >= widgets.bytes.objects);
  });

  it("finds objects by indexes, which are updated with every change", async () => {
    await using bench = new Bench();
    using widgets = bench.cache
      .informer(widget)
      .index("size", bySize)
      .index("labels", ({ metadata }) => Object.keys(metadata.labels ?? {}));
    await bench.list(9, [
      newWidget("a", { version: 1, labels: { x: "", y: "" } }),
      newWidget("b", { version: 2, size: 2, labels: { y: "" } }),
    ]);
    const watch = await bench.watch();
    const found = (objects: readonly { metadata: { name?: string } }[]): string =>
      objects.map(({ metadata }) => metadata.name).join();

    assert.equal(found(widgets.by("size", "1")), "a");
    assert.equal(found(widgets.by("labels", "y")), "a,b");
    await bench.send(
      watch,
      eventText("MODIFIED", newWidget("a", { version: 10, size: 2, labels: { x: "" } })),
      eventText("DELETED", newWidget("b", { version: 11 })),
    );
    assert.equal(found(widgets.by("size", "1")), "");
    assert.equal(found(widgets.by("size", "2")), "a");
    assert.equal(found(widgets.by("labels", "y")), "");
    assert.deepEqual(widgets.valuesOf("labels"), ["x"]);
    // @ts-expect-error the name of an index is part of the type
    assert.throws(() => widgets.by("colour", "red"), ArgumentError);
    assert.throws(() => widgets.index("size", () => "another"), ArgumentError);
  });

  it("returns versions and counts without parsing objects", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget).index("size", bySize);
    await bench.list(9, [newWidget("a", { version: 1 }), newWidget("b", { version: 2 })]);
    const watch = await bench.watch();
    const { uid, resourceVersion } = widgets.get("default/a")?.metadata ?? {};

    assert.equal(widgets.versionOf("default/a"), `${uid}/${resourceVersion}`);
    assert.equal(widgets.versionOf({ namespace: "default", name: "missing" }), undefined);
    assert.deepEqual([widgets.countBy("size", "1"), widgets.countBy("size", "2")], [2, 0]);
    await bench.send(
      watch,
      eventText("MODIFIED", newWidget("a", { version: 10, size: 2 })),
      eventText("DELETED", newWidget("b", { version: 11 })),
    );
    assert.equal(widgets.versionOf("default/a"), `${uid}/10`);
    assert.equal(widgets.versionOf("default/b"), undefined);
    assert.deepEqual([widgets.countBy("size", "1"), widgets.countBy("size", "2")], [0, 1]);
  });

  it("fills an index that is added later, and shares it between handles that pass the same function", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget);
    await bench.list(9, [newWidget("a", { version: 1 })]);

    using indexed = bench.cache.informer(widget).index("size", bySize);
    const other = bench.cache.informer(widget).index("bySize", bySize);
    other[Symbol.dispose]();

    assert.equal(indexed.by("size", "1").length, 1);
    assert.equal(widgets.size, 1);
  });

  it("leaves an object out of an index whose function throws, and reports the error", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget).index("size", ({ metadata }) => {
      if (metadata.name === "bad") throw new Error("no size");
      return "all";
    });

    await bench.list(9, [newWidget("bad", { version: 1 }), newWidget("good", { version: 2 })]);

    assert.equal(widgets.by("size", "all").length, 1);
    assert.equal(bench.notes.filter(({ type }) => type === "error").length, 1);
  });
});

describe("subscribing to an informer", () => {
  function record(events: string[]): (event: ObjectEvent<Widget>) => void {
    return ({ type, key, object, old }) => {
      events.push(`${type} ${key} ${old?.spec.size ?? "-"}→${object.spec.size}`);
    };
  }

  it("delivers every change in order, with the previous state", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget);
    const events: string[] = [];
    using _ = widgets.subscribe(record(events));
    await bench.list(9, [newWidget("a", { version: 1 })]);

    await bench.send(
      await bench.watch(),
      eventText("MODIFIED", newWidget("a", { version: 10, size: 2 })),
      eventText("ADDED", newWidget("b", { version: 11, size: 7 })),
      eventText("DELETED", newWidget("a", { version: 12, size: 2 })),
      eventText("ADDED", newWidget("a", { version: 13, size: 3, uid: "another" })),
    );

    assert.deepEqual(events, [
      "add default/a -→1",
      "update default/a 1→2",
      "add default/b -→7",
      "delete default/a 2→2",
      "add default/a -→3",
    ]);
  });

  it("delivers existing objects to a late subscriber, after subscribe has returned", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget);
    await bench.list(9, [newWidget("a", { version: 1 }), newWidget("b", { version: 2 })]);
    const events: string[] = [];

    using subscription = widgets.subscribe(record(events));

    assert.deepEqual(events, []);
    await subscription.replayed;
    assert.deepEqual(events, ["add default/a -→1", "add default/b -→1"]);
  });

  it("delivers no change twice or out of order during a replay", async () => {
    // Each object uses up the time budget, so the event loop gets a turn after each.
    let now = 0;
    await using bench = new Bench({}, {});
    using widgets = bench.cache.informer(widget);
    await bench.list(
      9,
      Array.from({ length: 5 }, (_, i) => newWidget(`w${i}`, { version: i + 1 })),
    );
    const watch = await bench.watch();
    const events: string[] = [];
    bench.clock.monotonic = () => (now += 10);

    using subscription = widgets.subscribe(record(events));
    await Promise.resolve();
    watch.body.push(eventText("MODIFIED", newWidget("w0", { version: 10, size: 2 })));
    watch.body.push(eventText("MODIFIED", newWidget("w4", { version: 11, size: 2 })));
    watch.body.push(eventText("DELETED", newWidget("w3", { version: 12 })));
    await subscription.replayed;
    Reflect.deleteProperty(bench.clock, "monotonic");
    await bench.settle();

    const of = (key: string): string[] => events.filter((event) => event.includes(key));
    assert.deepEqual(of("w0"), ["add default/w0 -→1", "update default/w0 1→2"]);
    assert.deepEqual(of("w4"), ["add default/w4 -→2"], "delivered in its current state");
    assert.deepEqual(of("w3"), [], "deleted before it was replayed");
  });

  it("parses only what is read, and rejects reads after the handler has returned", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget);
    const kept: ObjectEvent<Widget>[] = [];
    using _ = widgets.subscribe((event) => kept.push(event.key === "default/kept" ? event.keep() : event));
    await bench.list(9, [newWidget("a", { version: 1 }), newWidget("kept", { version: 2 })]);
    const watch = await bench.watch();
    await bench.send(watch, eventText("MODIFIED", newWidget("kept", { version: 10, size: 5 })));
    await bench.send(watch, eventText("DELETED", newWidget("kept", { version: 11, size: 5 })));

    const [late, first, second, third] = kept;

    assert.throws(() => late?.object, EventExpiredError);
    assert.equal(first?.object.spec.size, 1);
    assert.deepEqual([second?.old?.spec.size, second?.object.spec.size], [1, 5]);
    assert.deepEqual([third?.type, third?.object.spec.size], ["delete", 5]);
  });

  it("continues when a handler throws, and notifies the observer", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget);
    const events: string[] = [];
    using bad = widgets.subscribe(() => {
      throw new Error("handler");
    });
    using good = widgets.subscribe(record(events));

    await bench.list(9, [newWidget("a", { version: 1 })]);

    assert.equal(events.length, 1);
    assert.ok(bench.notes.some((note) => note.type === "error" && String(note.error).includes("handler")));
    assert.ok(bad !== good);
  });

  it("delivers writes made by a handler to all subscribers in the same order", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget);
    const first: string[] = [];
    const second: string[] = [];
    using one = widgets.subscribe((event) => {
      if (event.key === "default/a" && event.type === "add") {
        bench.cache.write(widget, { namespace: "default", name: "a" }).wrote(newWidget("a", { version: 20, size: 9 }));
      }
      record(first)(event);
    });
    using two = widgets.subscribe(record(second));

    await bench.list(9, [newWidget("a", { version: 1 }), newWidget("b", { version: 2 })]);

    assert.deepEqual(first, ["add default/a -→1", "update default/a 1→9", "add default/b -→1"]);
    assert.deepEqual(second, first);
    assert.ok(one !== two);
  });

  it("merges changes of one object in the event stream of a slow consumer", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget);
    await bench.list(9, [newWidget("a", { version: 1 }), newWidget("b", { version: 2 })]);
    const watch = await bench.watch();
    const stop = new AbortController();
    const events = widgets.events(stop.signal);
    const read = async (): Promise<string> => {
      const { value } = await events.next();
      return value === undefined
        ? "end"
        : `${value.type} ${value.key} ${value.old?.spec.size ?? "-"}→${value.object.spec.size}`;
    };

    assert.equal(await read(), "add default/a -→1");
    await bench.send(
      watch,
      eventText("MODIFIED", newWidget("a", { version: 10, size: 2 })),
      eventText("MODIFIED", newWidget("a", { version: 11, size: 3 })),
      eventText("MODIFIED", newWidget("b", { version: 12, size: 5 })),
      eventText("ADDED", newWidget("c", { version: 13 })),
      eventText("DELETED", newWidget("c", { version: 14 })),
    );
    assert.equal(await read(), "add default/b -→5");
    assert.equal(await read(), "update default/a 1→3");
    await bench.send(
      watch,
      eventText("DELETED", newWidget("a", { version: 15, size: 3 })),
      eventText("ADDED", newWidget("a", { version: 16, size: 4, uid: "another" })),
    );
    assert.equal(await read(), "delete default/a 3→3");
    assert.equal(await read(), "add default/a -→4");
    const last = read();
    await bench.settle();
    stop.abort();
    assert.equal(await last, "end");
  });
});

describe("an informer", () => {
  it("becomes ready after the first list and resolves all waiting callers", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget);
    const stop = new AbortController();
    const ready = widgets.ready();
    const impatient = widgets.ready(stop.signal);

    stop.abort(new Error("no patience"));
    await assert.rejects(impatient, /no patience/);
    await bench.list(9, []);

    await ready;
    await widgets.ready();
  });

  it("throws when used after it was disposed of", async () => {
    await using bench = new Bench();
    const widgets = bench.cache.informer(widget);
    const ready = widgets.ready();

    widgets[Symbol.dispose]();
    widgets[Symbol.dispose]();

    await assert.rejects(ready, InformerClosedError);
    assert.throws(() => widgets.get("default/a"), InformerClosedError);
    assert.throws(() => widgets.subscribe(() => undefined), InformerClosedError);
  });

  it("is shared by all handles of the same selection until the last is disposed of", async () => {
    await using bench = new Bench();
    const first = bench.cache.informer(widget, { namespace: "default", labels: "b,a" });
    const second = bench.cache.informer(widget, { namespace: "default", labels: "a,b" });
    using other = bench.cache.informer(widget, { namespace: "default", labels: "a" });
    await bench.settle();

    assert.equal(bench.selections.length, 2);
    assert.deepEqual(
      bench.cache.stats().map(({ name, users }) => `${name}: ${users}`),
      ["widgets.test.dev in default with a,b: 2", "widgets.test.dev in default with a: 1"],
    );
    first[Symbol.dispose]();
    assert.equal(bench.cache.stats().length, 2);
    second[Symbol.dispose]();
    assert.equal(bench.cache.stats().length, 1);
    await bench.settle();
    assert.equal(bench.source.open.length, 1, "its connection is closed, too");
    assert.equal(other.size, 0);
  });

  it("requests only metadata if configured, and sets the object's own kind", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget, { metadataOnly: true });
    const { metadata } = newWidget("a", { version: 1 });
    const partial: KubeObject = { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata };

    await bench.list(9, [partial]);
    bench.cache.write(widget, { namespace: "default", name: "b" }).wrote(newWidget("b", { version: 20 }));

    assert.equal(bench.selections[0]?.isMetadataOnly, true);
    assert.equal(widgets.get("default/a")?.kind, "Widget");
    assert.equal(widgets.get("default/a")?.apiVersion, "test.dev/v1");
    assert.deepEqual(Object.keys(widgets.get("default/b") ?? {}).sort(), ["apiVersion", "kind", "metadata"]);
  });

  it("keeps only the projected fields and the identity of the object", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget, { project: ["spec.size"] });
    const object = { ...newWidget("a", { version: 1, labels: { x: "1" } }), status: { big: "x".repeat(1000) } };

    await bench.list(9, [{ ...object, metadata: { ...object.metadata, annotations: { note: "long" } } }]);

    const { metadata } = widgets.get("default/a") ?? {};
    assert.deepEqual(Object.keys(metadata ?? {}).sort(), ["labels", "name", "namespace", "resourceVersion", "uid"]);
    assert.equal(widgets.get("default/a")?.spec?.size, 1);
    assert.ok(widgets.bytes.objects < 300);
    assert.throws(() => bench.cache.informer(widget, { project: ["spec..size"] }), ArgumentError);
  });

  it("stores the result of transform, but never another identity", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget, {
      transform: ({ apiVersion, kind, metadata, spec }): KubeObject & { double: number } => {
        if (metadata.name === "bad") throw new Error("cannot");
        return { apiVersion, kind, metadata: { name: "other" }, double: spec.size * 2 };
      },
    });

    await bench.list(9, [newWidget("a", { version: 1, size: 4 }), newWidget("bad", { version: 2 })]);

    assert.equal(widgets.get("default/a")?.double, 8);
    assert.equal(widgets.get("default/a")?.metadata.uid, "uid-a");
    assert.equal(widgets.get("default/bad")?.double, undefined, "only its identity is stored");
    assert.ok(bench.notes.some(({ type }) => type === "error"));
  });

  it("keeps managedFields if configured", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget, { managedFields: true });

    await bench.list(9, [newWidget("a", { version: 1 })]);

    assert.equal(widgets.get("default/a")?.metadata.managedFields?.[0]?.manager, "test");
  });

  it("sets the kind of list items that have none", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget);
    const { metadata, spec } = newWidget("a", { version: 1 });

    await bench.list(9, [{ metadata, spec } as unknown as KubeObject]);

    assert.equal(widgets.get("default/a")?.kind, "Widget");
    assert.equal(widgets.get("default/a")?.apiVersion, "test.dev/v1");
  });

  it("reports its state and counters", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget);
    assert.equal(widgets.health.state, "empty");
    await bench.settle();
    assert.equal(widgets.health.state, "listing");
    await bench.list(9, []);
    const watch = await bench.watch();
    await bench.clock.advance(5000);
    await bench.send(watch, bookmarkText(12));

    const { state, isSynced, version, lastByteAt, lastEventAt, lists } = widgets.health;

    assert.deepEqual(
      { state, isSynced, version, lastByteAt, lastEventAt, lists },
      {
        state: "watching",
        isSynced: true,
        version: "12",
        lastByteAt: bench.clock.now(),
        lastEventAt: undefined,
        lists: 1,
      },
    );
    assert.equal(String(widgets), "widgets.test.dev");
  });
});
