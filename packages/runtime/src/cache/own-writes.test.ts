import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { WriteResponse } from "@homeostat/client";
import { Namespace } from "@homeostat/kubernetes/core/v1";
import type { Call } from "../testing/api-model.ts";
import { Bench, bookmarkText, errorText, eventText, newWidget, type Widget, widget } from "../testing/cache-bench.ts";
import type { Informer } from "./informer.ts";

const a = { namespace: "default", name: "a" };

/**
 * A cache that contains one widget `a` at version 5, is at version 9, and records what the writer "me" is notified of.
 */
class Scene extends Bench {
  readonly notified: string[] = [];
  readonly others: string[] = [];

  async begin(): Promise<{ widgets: Informer<Widget>; watch: Call }> {
    const widgets = this.cache.informer(widget);
    await this.list(9, [newWidget("a", { version: 5 })]);
    const watch = await this.watch();
    const subscription = widgets.subscribe((event) => {
      const text = `${event.type} ${event.old?.spec.size ?? "-"}→${event.object.spec.size}`;
      if (!event.isKnownTo("me")) this.notified.push(text);
      if (!event.isKnownTo("other")) this.others.push(text);
    });
    await subscription.replayed;
    this.notified.length = 0;
    this.others.length = 0;
    return { widgets, watch };
  }
}

describe("an own write", () => {
  it("is visible at once, and its writer is not notified of it before or after the watch shows it", async () => {
    await using scene = new Scene();
    const { widgets, watch } = await scene.begin();
    using ticket = scene.cache.write(widget, a, "me");

    ticket.wrote(newWidget("a", { version: 12, size: 2 }), { sent: { spec: { size: 2 } } });

    assert.equal(widgets.get("default/a")?.spec.size, 2);
    await scene.send(watch, eventText("MODIFIED", newWidget("a", { version: 12, size: 2 })), bookmarkText(20));
    assert.deepEqual(scene.notified, []);
    assert.deepEqual(scene.others, ["update 1→2"], "all others are notified at once, and once");
    assert.equal(widgets.health.lists, 1);
  });

  it("does not notify its writer if the watch is faster than the response", async () => {
    await using scene = new Scene();
    const { widgets, watch } = await scene.begin();
    using ticket = scene.cache.write(widget, a, "me");

    await scene.send(watch, eventText("MODIFIED", newWidget("a", { version: 12, size: 2 })));
    ticket.wrote(newWidget("a", { version: 12, size: 2 }), { basedOn: "5" });

    assert.equal(widgets.get("default/a")?.spec.size, 2);
    assert.deepEqual(scene.notified, []);
    assert.deepEqual(scene.others, ["update 1→2"]);
  });

  it("does not hide another client's change in between", async () => {
    await using scene = new Scene();
    const { watch } = await scene.begin();
    using ticket = scene.cache.write(widget, a, "me");

    ticket.wrote(newWidget("a", { version: 12, size: 2 }), { sent: { spec: { size: 2 } } });
    await scene.send(
      watch,
      eventText("MODIFIED", newWidget("a", { version: 11, size: 7 })),
      eventText("MODIFIED", newWidget("a", { version: 12, size: 2 })),
    );

    assert.deepEqual(scene.notified, ["update 1→2"], "from the state it knew to the current one");
    assert.deepEqual(scene.others, ["update 1→2"], "no other subscriber is notified again");
  });

  it("does not hide another client's change that its response shows", async () => {
    await using scene = new Scene();
    await scene.begin();
    const labels = { theirs: "yes" };

    scene.cache.write(widget, a, "me").wrote(newWidget("a", { version: 12, size: 2, labels }), {
      sent: { spec: { size: 2 } },
    });

    assert.deepEqual(scene.notified, ["update 1→2"]);
  });

  it("that changed nothing does not hide another client's change", async () => {
    await using scene = new Scene();
    const { watch } = await scene.begin();

    // Another client has set size to 2 before. The response shows it, at a version that the watch has not reached yet.
    scene.cache.write(widget, a, "me").wrote(newWidget("a", { version: 11, size: 2 }));
    await scene.send(watch, eventText("MODIFIED", newWidget("a", { version: 11, size: 2 })));

    assert.deepEqual(scene.notified, ["update 1→2"]);
  });

  it("that failed releases the changes that were held back", async () => {
    await using scene = new Scene();
    const { watch } = await scene.begin();
    const ticket = scene.cache.write(widget, a, "me");

    await scene.send(watch, eventText("MODIFIED", newWidget("a", { version: 12, size: 2 })));
    assert.deepEqual(scene.notified, [], "it may be the own write");
    ticket.failed();

    assert.deepEqual(scene.notified, ["update 1→2"]);
  });

  it("that goes out of scope without a response has failed", async () => {
    await using scene = new Scene();
    const { watch } = await scene.begin();
    {
      using _ = scene.cache.write(widget, a, "me");
      await scene.send(watch, eventText("DELETED", newWidget("a", { version: 12 })));
    }

    assert.deepEqual(scene.notified, ["delete 1→1"]);
  });

  it("causes a notification of its writer when a list comes in between", async () => {
    await using scene = new Scene();
    const { widgets, watch } = await scene.begin();
    scene.cache.write(widget, a, "me").wrote(newWidget("a", { version: 12, size: 2 }), { sent: { spec: { size: 2 } } });

    await scene.send(watch, errorText(410));
    await scene.list(30, [newWidget("a", { version: 12, size: 2 })]);

    assert.equal(widgets.get("default/a")?.spec.size, 2);
    assert.deepEqual(scene.notified, ["update 1→2"], "changes in between are unknown, so it has to be notified");
  });

  it("is kept when a list is older than it", async () => {
    await using scene = new Scene();
    const { widgets, watch } = await scene.begin();
    await scene.send(watch, errorText(410));
    await scene.settle();
    const { call } = scene;
    scene.cache.write(widget, { namespace: "default", name: "b" }).wrote(newWidget("b", { version: 40 }));
    call.respond();
    call.body.push(`{"items":[${JSON.stringify(newWidget("a", { version: 5 }))}],"metadata":{"resourceVersion":"30"}}`);
    call.body.end();
    await scene.settle();

    assert.deepEqual([...widgets.keys()].sort(), ["default/a", "default/b"]);
    assert.equal((await scene.watch()).watch?.resourceVersion, "30");
  });

  it("whose response arrives late does not bring back a deleted object", async () => {
    await using scene = new Scene();
    const { widgets, watch } = await scene.begin();
    const ticket = scene.cache.write(widget, a, "me");
    await scene.send(
      watch,
      eventText("MODIFIED", newWidget("a", { version: 12, size: 2 })),
      eventText("DELETED", newWidget("a", { version: 13, size: 2 })),
    );

    ticket.wrote(newWidget("a", { version: 12, size: 2 }), { basedOn: "5" });

    assert.equal(widgets.get("default/a"), undefined);
    assert.deepEqual(scene.notified, ["delete 2→2"], "its writer is notified of the deletion");
  });

  it("that the watch never shows makes the cache list again", async () => {
    await using scene = new Scene();
    const { widgets, watch } = await scene.begin();
    scene.cache.write(widget, { namespace: "default", name: "ghost" }).wrote(newWidget("ghost", { version: 12 }));

    await scene.send(watch, bookmarkText(20));
    await scene.clock.advance(1600);
    await scene.list(20, [newWidget("a", { version: 5 })]);

    assert.deepEqual([...widgets.keys()], ["default/a"]);
  });

  it("is not stored if its response is an object of another kind", async () => {
    await using scene = new Scene();
    const { widgets } = await scene.begin();
    const scale = { ...newWidget("a", { version: 12, size: 2 }), apiVersion: "autoscaling/v1", kind: "Scale" };

    scene.cache.write(widget, a, "me").wrote(scale);

    assert.equal(widgets.get("default/a")?.spec.size, 1);
  });

  it("is visible only in the informers that cover its object", async () => {
    await using bench = new Bench();
    using all = bench.cache.informer(widget);
    using here = bench.cache.informer(widget, { namespace: "default" });
    using there = bench.cache.informer(widget, { namespace: "other" });
    using labelled = bench.cache.informer(widget, { labels: "app=web" });
    using unlabelled = bench.cache.informer(widget, { labels: "!app" });
    using named = bench.cache.informer(widget, { fields: "metadata.name=a" });
    using small = bench.cache.informer(widget, { fields: "spec.size=1" });
    using large = bench.cache.informer(widget, { fields: "spec.size=9" });

    bench.cache.write(widget, a).wrote(newWidget("a", { version: 12, labels: { app: "web" } }));

    const seen = { all, here, there, labelled, unlabelled, named, small, large };
    assert.deepEqual(
      Object.entries(seen).flatMap(([name, informer]) => (informer.has("default/a") ? [name] : [])),
      ["all", "here", "labelled", "named", "small"],
    );
  });

  it("that takes an object out of the selection removes it from the cache at once", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget, { labels: "app=web" });
    await bench.list(9, [newWidget("a", { version: 5, labels: { app: "web" } })]);
    const watch = await bench.watch();

    bench.cache.write(widget, a).wrote(newWidget("a", { version: 12 }));

    assert.equal(widgets.has("default/a"), false);
    await bench.send(
      watch,
      eventText("MODIFIED", newWidget("a", { version: 11, labels: { app: "web" } })),
      eventText("DELETED", newWidget("a", { version: 12, labels: { app: "web" } })),
    );
    assert.equal(widgets.has("default/a"), false, "an earlier state does not come back");
    await bench.send(watch, eventText("ADDED", newWidget("a", { version: 14, labels: { app: "web" } })));
    assert.equal(widgets.has("default/a"), true, "a later state does");
  });
});

describe("an own deletion", () => {
  const status = (uid: string): unknown => ({ kind: "Status", apiVersion: "v1", status: "Success", details: { uid } });

  it("is visible at once, and no earlier state comes back", async () => {
    await using scene = new Scene();
    const { widgets, watch } = await scene.begin();

    scene.cache.write(widget, a, "me").deleted(status("uid-a"));

    assert.equal(widgets.get("default/a"), undefined);
    await scene.send(watch, eventText("MODIFIED", newWidget("a", { version: 11, size: 7 })));
    assert.equal(widgets.get("default/a"), undefined);
    await scene.send(watch, eventText("DELETED", newWidget("a", { version: 12, size: 7 })));
    assert.deepEqual(scene.notified, []);
    assert.deepEqual(scene.others, ["delete 1→1"]);
    await scene.send(watch, eventText("ADDED", newWidget("a", { version: 13, size: 3, uid: "another" })));
    assert.equal(widgets.get("default/a")?.spec.size, 3);
  });

  it("of an object with a finalizer shows its deletionTimestamp", async () => {
    await using scene = new Scene();
    const { widgets } = await scene.begin();
    const object = newWidget("a", { version: 12 });
    const deletionTimestamp = "2026-01-01T00:00:00Z";

    scene.cache.write(widget, a, "me").deleted({
      ...object,
      metadata: { ...object.metadata, deletionTimestamp, deletionGracePeriodSeconds: 0, finalizers: ["test/hold"] },
    });

    assert.equal(widgets.get("default/a")?.metadata.deletionTimestamp, deletionTimestamp);
    assert.deepEqual(scene.others, ["update 1→1"]);
  });

  it("removes the object if the response is the deleted object", async () => {
    await using scene = new Scene();
    const { widgets } = await scene.begin();

    scene.cache.write(widget, a, "me").deleted(newWidget("a", { version: 5 }));

    assert.equal(widgets.get("default/a"), undefined);
  });

  it("whose response arrives late does not remove an object created since", async () => {
    await using scene = new Scene();
    const { widgets, watch } = await scene.begin();
    const ticket = scene.cache.write(widget, a, "me");
    await scene.send(
      watch,
      eventText("DELETED", newWidget("a", { version: 12 })),
      eventText("ADDED", newWidget("a", { version: 13, size: 3, uid: "another" })),
    );

    ticket.deleted(status("uid-a"));

    assert.equal(widgets.get("default/a")?.spec.size, 3);
    assert.deepEqual(scene.notified, ["update 1→3"], "another client created the new one");
  });

  it("of an object that was never seen hides its predecessor", async () => {
    await using scene = new Scene();
    const { widgets, watch } = await scene.begin();

    // Another client has deleted `a` and created it again; this process deletes the new one by name.
    scene.cache.write(widget, a, "me").deleted(status("uid-2"));

    assert.equal(widgets.get("default/a"), undefined, "the stored object must be older");
    await scene.send(
      watch,
      eventText("MODIFIED", newWidget("a", { version: 10 })),
      eventText("DELETED", newWidget("a", { version: 11 })),
      eventText("ADDED", newWidget("a", { version: 12, uid: "uid-2" })),
    );
    assert.equal(widgets.get("default/a"), undefined);
    await scene.send(
      watch,
      eventText("DELETED", newWidget("a", { version: 13, uid: "uid-2" })),
      eventText("ADDED", newWidget("a", { version: 14, uid: "uid-3" })),
    );
    assert.equal(widgets.get("default/a")?.metadata.uid, "uid-3");
    assert.equal(widgets.health.lists, 1);
  });

  it("concurrent with other writes hides their results, even if responses arrive out of order", async () => {
    await using scene = new Scene();
    const { widgets, watch } = await scene.begin();
    const later = scene.cache.write(widget, a, "me");
    scene.cache.write(widget, a, "other").deleted(status("uid-2"));
    const earlier = scene.cache.write(widget, a, "me");

    later.wrote(newWidget("a", { version: 14, size: 4, uid: "uid-3" }), { isNew: true });
    earlier.wrote(newWidget("a", { version: 12, size: 2, uid: "uid-1" }));

    assert.equal(widgets.get("default/a"), undefined, "only the watch can tell whether version 14 was deleted; 12 was");
    await scene.send(
      watch,
      eventText("MODIFIED", newWidget("a", { version: 12, size: 2, uid: "uid-1" })),
      eventText("ADDED", newWidget("a", { version: 13, size: 3, uid: "uid-2" })),
      eventText("ADDED", newWidget("a", { version: 14, size: 4, uid: "uid-3" })),
    );
    assert.equal(widgets.get("default/a")?.spec.size, 4);
    assert.equal(
      scene.notified.at(-1),
      "add -→4",
      "its writer, which was notified of a deletion, is notified that the object exists",
    );
  });

  it("concurrent with other writes leaves no writer believing that its object was deleted", async () => {
    await using bench = new Bench();
    using widgets = bench.cache.informer(widget, { labels: "app=web" });
    const labels = { app: "web" };
    const notified: string[] = [];
    using subscription = widgets.subscribe((event) => {
      if (!event.isKnownTo("me")) notified.push(`${event.type} ${event.object.metadata.resourceVersion}`);
    });
    await subscription.replayed;
    await bench.list(9, []);
    const watch = await bench.watch();
    const deletion = bench.cache.write(widget, a, "other");
    const first = bench.cache.write(widget, a, "me");
    await bench.send(watch, eventText("ADDED", newWidget("a", { version: 10, uid: "uid-6", labels })));
    // The response does not tell which of the two objects was deleted.
    deletion.deleted(status("uid-4"));
    const second = bench.cache.write(widget, a, "me");

    first.wrote(newWidget("a", { version: 11, uid: "uid-6", size: 2, labels }));
    second.wrote(newWidget("a", { version: 11, uid: "uid-6", size: 2, labels }), { basedOn: "10" });

    assert.equal(widgets.get("default/a")?.spec.size, 2);
    assert.deepEqual(notified, ["delete 11", "update 11"]);
  });
});

describe("the removal of the last finalizer of an object that is being deleted", () => {
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  const terminating = (more: object = {}): Widget => {
    const object = newWidget("a", { version: 5 });
    return { ...object, metadata: { ...object.metadata, deletionTimestamp, ...more } };
  };
  const asWriteAnswer = (object: Widget): WriteResponse =>
    new WriteResponse(widget, Buffer.from(JSON.stringify(object)), () => object);

  for (const [form, toAnswer] of [
    ["parsed", (object: Widget) => object],
    ["unparsed", asWriteAnswer],
  ] as const) {
    it(`removes the object from the cache at once (${form} response)`, async () => {
      await using scene = new Scene();
      const { widgets, watch } = await scene.begin();

      // The server does not store the object any more, and responds with the version from before.
      scene.cache.write(widget, a, "me").wrote(toAnswer(terminating({ deletionGracePeriodSeconds: 0 })));

      assert.equal(widgets.get("default/a"), undefined);
      await scene.send(watch, eventText("MODIFIED", newWidget("a", { version: 11, size: 7 })));
      assert.equal(widgets.get("default/a"), undefined, "a stale event does not bring it back");
      await scene.send(watch, eventText("DELETED", newWidget("a", { version: 12, size: 7 })));
      assert.deepEqual(scene.notified, [], "the writer knows");
      assert.deepEqual(scene.others, ["delete 1→1"]);
      await scene.send(watch, eventText("ADDED", newWidget("a", { version: 13, size: 3, uid: "another" })));
      assert.equal(widgets.get("default/a")?.spec.size, 3, "a new object of the same name is shown");
      assert.equal(widgets.health.lists, 1);
    });
  }

  it("does not remove an object that another client created under the name meanwhile", async () => {
    await using scene = new Scene();
    const { widgets, watch } = await scene.begin();
    const ticket = scene.cache.write(widget, a, "me");
    await scene.send(
      watch,
      eventText("DELETED", newWidget("a", { version: 12 })),
      eventText("ADDED", newWidget("a", { version: 13, size: 3, uid: "another" })),
    );

    ticket.wrote(terminating());

    assert.equal(widgets.get("default/a")?.spec.size, 3);
    assert.deepEqual(scene.notified, ["update 1→3"]);
  });

  it("leaves the object while another finalizer or a grace period keeps it", async () => {
    for (const more of [{ finalizers: ["test/other"] }, { deletionGracePeriodSeconds: 30 }]) {
      await using scene = new Scene();
      const { widgets } = await scene.begin();

      scene.cache.write(widget, a, "me").wrote(terminating({ ...more, resourceVersion: "12" }));

      assert.equal(widgets.get("default/a")?.metadata.resourceVersion, "12");
    }
  });

  it("leaves a Namespace while its contents are being deleted", async () => {
    await using bench = new Bench();
    using namespaces = bench.cache.informer(Namespace);
    const namespace: Namespace = {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "shop", uid: "uid-shop", resourceVersion: "5" },
      spec: { finalizers: ["kubernetes"] },
    };
    await bench.list(9, [namespace]);
    await bench.watch();

    bench.cache
      .write(Namespace, { name: "shop" })
      .deleted({ ...namespace, metadata: { ...namespace.metadata, resourceVersion: "12", deletionTimestamp } });
    const terminatingAt = namespaces.get("shop")?.metadata.deletionTimestamp;
    const empty: Namespace = {
      ...namespace,
      metadata: { ...namespace.metadata, resourceVersion: "12", deletionTimestamp },
      spec: { finalizers: [] },
    };
    bench.cache.write(Namespace, { name: "shop" }).wrote(empty);

    assert.equal(terminatingAt, deletionTimestamp);
    assert.equal(namespaces.get("shop"), undefined, "removed once that list is empty, too");
  });
});
