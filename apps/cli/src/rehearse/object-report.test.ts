import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { objectEntry } from "./object-report.ts";

const kind = "StatefulSet";
const hidden = ["example.com/hash"];

function stored(spec: object, annotations: Readonly<Record<string, string>> = {}) {
  return { apiVersion: "apps/v1", kind, metadata: { name: "a", annotations }, spec };
}

describe("entries about objects", () => {
  it("say that an object was created or deleted", () => {
    const object = stored({});

    const created = objectEntry({ atMs: 1, type: "added", object, before: undefined }, { kind, hidden });
    const deleted = objectEntry({ atMs: 2, type: "deleted", object, before: object }, { kind, hidden });

    assert.deepEqual([created?.topic, created?.text], ["create", "StatefulSet a"]);
    assert.deepEqual([deleted?.topic, deleted?.text], ["delete", "StatefulSet a"]);
  });

  it("list the changes of the pod template, and not more lines than a reader can take", () => {
    const images = (tag: number) =>
      Array.from({ length: 20 }, (_, index) => ({ name: `c${index}`, image: `i:${tag}` }));
    const before = stored({ template: { spec: { containers: images(1) } } });
    const object = stored({ template: { spec: { containers: images(2) } } });

    const entry = objectEntry({ atMs: 0, type: "modified", object, before }, { kind, hidden });

    assert.equal(entry?.details?.[0], 'pod template: spec.containers[c0].image: "i:1" -> "i:2"');
    assert.equal(entry.details.length, 13);
    assert.equal(entry.details.at(-1), "and 8 more lines");
  });

  it("are missing if only replicas, hidden annotations or nothing changed", () => {
    const before = stored({ replicas: 1 }, { "example.com/hash": "1" });
    const object = stored({ replicas: 2 }, { "example.com/hash": "2" });

    assert.equal(objectEntry({ atMs: 0, type: "modified", object, before }, { kind, hidden }), undefined);
    assert.equal(objectEntry({ atMs: 0, type: "modified", object, before: object }, { kind, hidden }), undefined);
  });
});
