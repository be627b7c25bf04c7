import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KubeObject, Stored } from "@homeostat/core";
import type { PredicateEvent } from "./predicate.ts";
import { when } from "./predicates.ts";

type Meta = Partial<KubeObject["metadata"]>;

const object = (metadata: Meta): Stored<KubeObject> => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { uid: "u", resourceVersion: "1", ...metadata, name: "a" },
});
const update = (before: Meta, after: Meta): PredicateEvent<Stored<KubeObject>> => ({
  type: "update",
  key: "a",
  old: object(before),
  object: object(after),
});
const add: PredicateEvent<Stored<KubeObject>> = {
  type: "add",
  key: "a",
  old: undefined,
  object: object({ generation: 1 }),
};
const deletion: PredicateEvent<Stored<KubeObject>> = {
  type: "delete",
  key: "a",
  old: object({ generation: 1 }),
  object: object({ generation: 1 }),
};
const quiet = update({ generation: 1, resourceVersion: "1" }, { generation: 1, resourceVersion: "2" });

describe("when", () => {
  it("passes additions and deletions", () => {
    const predicates = [
      when.generationChanged(),
      when.labelsChanged(),
      when.annotationsChanged(),
      when.changed(() => 1),
      when.specChangedOr(() => 1),
    ];

    for (const passes of predicates) {
      assert.equal(passes(add), true);
      assert.equal(passes(deletion), true);
      assert.equal(passes(quiet), false);
    }
  });

  it("detects a new spec by its generation, and passes everything for kinds without one", () => {
    const passes = when.generationChanged();

    assert.equal(passes(update({ generation: 1 }, { generation: 2 })), true);
    assert.equal(passes(update({ generation: 1, uid: "x" }, { generation: 1, uid: "y" })), true, "recreated");
    assert.equal(passes(update({ generation: 1 }, { generation: 1, deletionTimestamp: "2026-01-01T00:00:00Z" })), true);
    assert.equal(passes(update({ resourceVersion: "1" }, { resourceVersion: "2" })), true, "no generation");
  });

  it("compares labels, annotations and selected values", () => {
    assert.equal(when.labelsChanged()(update({ labels: { a: "1" } }, { labels: { a: "1" } })), false);
    assert.equal(when.labelsChanged()(update({}, { labels: {} })), false, "missing and empty labels are equal");
    assert.equal(when.labelsChanged()(update({ labels: { a: "1" } }, { labels: { a: "2" } })), true);
    assert.equal(when.annotationsChanged()(update({ annotations: { a: "1" } }, {})), true);
    const picked = when.changed(({ metadata }) => [metadata.labels?.["a"]]);
    assert.equal(picked(update({ labels: { a: "1", b: "1" } }, { labels: { a: "1", b: "2" } })), false);
    assert.equal(picked(update({ labels: { a: "1" } }, { labels: { a: "2" } })), true);
  });

  it("passes changes of everything except the status, and of the selected part of the status", () => {
    type Thing = KubeObject & {
      readonly data?: string;
      readonly status?: { readonly ready: number; readonly seen: number };
    };
    const passes = when.specChangedOr<Thing>(({ status }) => status?.ready);
    const base: Stored<Thing> = { ...object({ generation: 1 }), data: "a", status: { ready: 1, seen: 1 } };
    const changedTo = (after: Partial<Stored<Thing>>): boolean =>
      passes({ type: "update", key: "a", old: base, object: { ...base, ...after } });

    assert.equal(changedTo({}), false);
    assert.equal(changedTo({ status: { ready: 1, seen: 2 } }), false);
    assert.equal(changedTo({ status: { ready: 2, seen: 1 } }), true);
    assert.equal(changedTo({ data: "b" }), true);
    assert.equal(changedTo({ metadata: { ...base.metadata, labels: { a: "b" } } }), true);
    assert.equal(
      changedTo({ metadata: { ...base.metadata, resourceVersion: "2", generation: 2, managedFields: [{}] } }),
      false,
    );
  });

  it("combines predicates with any, all and not", () => {
    const labels = when.labelsChanged();
    const generation = when.generationChanged();
    const both = update({ generation: 1, labels: { a: "1" } }, { generation: 2, labels: { a: "2" } });
    const one = update({ generation: 1 }, { generation: 1, labels: { a: "2" } });

    assert.deepEqual([when.any(labels, generation)(one), when.any(labels, generation)(quiet)], [true, false]);
    assert.deepEqual([when.all(labels, generation)(both), when.all(labels, generation)(one)], [true, false]);
    assert.deepEqual([when.not(labels)(one), when.not(labels)(quiet), when.not(labels)(add)], [false, true, false]);
  });
});
