import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KubeObject, OwnerReference } from "@homeostat/core";
import fc from "fast-check";
import { type GraphEffects, graphObject, type GraphObject, OwnerGraph } from "./owner-graph.ts";

const kind = { apiVersion: "v1", kind: "ConfigMap" };

function object(name: string, metadata: Partial<KubeObject["metadata"]> = {}): GraphObject {
  return graphObject(kind, { ...kind, metadata: { name, uid: `uid-${name}`, namespace: "shop", ...metadata } });
}

function by(name: string, more: Partial<OwnerReference> = {}): OwnerReference {
  return { ...kind, name, uid: `uid-${name}`, ...more };
}

function summaryOf({ attemptDelete, orphan, misplaced }: GraphEffects): unknown {
  return {
    attemptDelete: [...attemptDelete].sort(),
    orphan: [...orphan],
    misplaced: misplaced.map(({ dependent }) => dependent.name),
  };
}

const nothing = { attemptDelete: [], orphan: [], misplaced: [] };

describe("OwnerGraph", () => {
  it("queues an object whose owner is unknown, and not one whose owner is known", () => {
    const graph = new OwnerGraph();

    const early = graph.put(object("child", { ownerReferences: [by("root")] }));
    const root = graph.put(object("root"));
    const late = graph.put(object("other", { ownerReferences: [by("root")] }));

    assert.deepEqual(summaryOf(early), { ...nothing, attemptDelete: ["uid-child"] });
    assert.deepEqual(summaryOf(root), nothing);
    assert.deepEqual(summaryOf(late), nothing);
    assert.equal(graph.needsProcessing(object("child", { ownerReferences: [by("root")] })), false);
  });

  it("queues the dependents of a deleted object", () => {
    const graph = new OwnerGraph();
    graph.put(object("root"));
    graph.put(object("a", { ownerReferences: [by("root")] }));
    graph.put(object("b", { ownerReferences: [by("root")] }));

    const effects = graph.remove("uid-root");

    assert.deepEqual(summaryOf(effects), { ...nothing, attemptDelete: ["uid-a", "uid-b"] });
    assert.deepEqual(summaryOf(graph.remove("uid-root")), nothing);
  });

  it("queues owner and dependents when a foreground deletion starts, and the owner when a dependent is deleted", () => {
    const graph = new OwnerGraph();
    const ownerReferences = [by("root", { blockOwnerDeletion: true })];
    graph.put(object("root"));
    graph.put(object("child", { ownerReferences }));
    const going = { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["foregroundDeletion"] };

    const begun = graph.put(object("root", going));
    const again = graph.put(object("root", going));
    const blockers = graph.blockersOf("uid-root").map(({ name }) => name);
    const afterRemoval = graph.remove("uid-child");

    assert.deepEqual(summaryOf(begun), { ...nothing, attemptDelete: ["uid-child", "uid-root"] });
    assert.deepEqual(summaryOf(again), nothing);
    assert.deepEqual(blockers, ["child"]);
    assert.deepEqual(summaryOf(afterRemoval), { ...nothing, attemptDelete: ["uid-root"] });
    assert.deepEqual(graph.blockersOf("uid-root"), []);
  });

  it("queues an owner when a dependent stops blocking it", () => {
    const graph = new OwnerGraph();
    graph.put(object("root"));
    graph.put(object("child", { ownerReferences: [by("root", { blockOwnerDeletion: true })] }));

    const unblocked = graph.put(object("child", { ownerReferences: [by("root", { blockOwnerDeletion: false })] }));

    assert.deepEqual(summaryOf(unblocked), { ...nothing, attemptDelete: ["uid-root"] });
  });

  it("prefers the orphan finalizer to foreground deletion", () => {
    const graph = new OwnerGraph();
    const finalizers = ["foregroundDeletion", "orphan"];

    const effects = graph.put(object("root", { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers }));

    assert.deepEqual(summaryOf(effects), { ...nothing, orphan: ["uid-root"] });
  });

  it("reports owners in another namespace, whichever object is added first", () => {
    const ownerFirst = new OwnerGraph();
    ownerFirst.put(object("root", { namespace: "elsewhere" }));
    const dependentFirst = new OwnerGraph();
    dependentFirst.put(object("child", { ownerReferences: [by("root")] }));

    const one = ownerFirst.put(object("child", { ownerReferences: [by("root")] }));
    const two = dependentFirst.put(object("root", { namespace: "elsewhere" }));

    assert.deepEqual(summaryOf(one), { ...nothing, attemptDelete: ["uid-child"], misplaced: ["child"] });
    assert.deepEqual(summaryOf(two), { ...nothing, attemptDelete: ["uid-child"], misplaced: ["child"] });
  });

  it("does not match an owner with another name or kind", () => {
    const graph = new OwnerGraph();
    graph.put(object("root"));
    const child = object("child");

    assert.equal(graph.view(by("root"), child), "present");
    assert.equal(graph.view(by("root", { name: "other" }), child), "other");
    assert.equal(graph.view(by("root", { kind: "Secret" }), child), "other");
    assert.equal(graph.view(by("root", { apiVersion: "v2" }), child), "other");
    assert.equal(graph.view(by("absent"), child), "unknown");
  });

  it("removes a kind without queueing the dependents of its objects", () => {
    const graph = new OwnerGraph();
    graph.put(object("root"));

    graph.forgetKind(kind);

    assert.equal(graph.size, 0);
  });

  it("reaches the same state whatever the order of events", () => {
    const names = ["a", "b", "c", "d", "e"];
    const arbitrary = fc.record({
      edges: fc.array(fc.tuple(fc.constantFrom(...names), fc.constantFrom(...names)), { maxLength: 8 }),
      order: fc.shuffledSubarray(names, { minLength: names.length }),
    });
    fc.assert(
      fc.property(arbitrary, ({ edges, order }) => {
        const objects = names.map((name) => {
          const owners = [...new Set(edges.filter(([child]) => child === name).map(([, owner]) => owner))];
          return object(name, { ownerReferences: owners.map((owner) => by(owner)) });
        });
        const graph = new OwnerGraph();
        const queued = new Set<string>();
        for (const name of order) {
          const one = objects.find((other) => other.name === name);
          if (one !== undefined) for (const uid of graph.put(one).attemptDelete) queued.add(uid);
        }

        // All owners exist: an object that was queued on the way needs no processing at the end.
        assert.ok(objects.every((one) => !graph.needsProcessing(one)));
        for (const one of objects) {
          const dependents = objects.filter(({ owners }) => owners.some(({ uid }) => uid === one.uid));
          assert.deepEqual(new Set(graph.dependentsOf(one.uid)), new Set(dependents));
          const effects = graph.remove(one.uid);
          assert.deepEqual(
            new Set(effects.attemptDelete),
            new Set(dependents.map(({ uid }) => uid).filter((uid) => uid !== one.uid)),
          );
          graph.put(one);
        }
      }),
      { numRuns: 200 },
    );
  });
});
