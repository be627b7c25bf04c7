import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type KubeObject, SeededRandom } from "@homeostat/core";
import { updatedMeta, nextGeneration } from "./updated-meta.ts";
import { generatedName, needsName, newMeta } from "./new-meta.ts";

const random = new SeededRandom(1);
const now = 1_800_000_000_000;

describe("newMeta", () => {
  it("sets the server's fields and ignores those that the client sent", () => {
    const sent = {
      name: "a",
      namespace: "other",
      uid: "mine",
      resourceVersion: "99",
      generation: 9,
      creationTimestamp: "1999-01-01T00:00:00Z",
      deletionTimestamp: "1999-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 3,
      selfLink: "/x",
      labels: { a: "b" },
      finalizers: ["x/y"],
    };

    const { uid, ...meta } = newMeta(sent, { namespace: "here", hasGeneration: true, now, random });

    assert.match(uid ?? "", /^[0-9a-f-]{36}$/);
    assert.deepEqual(meta, {
      name: "a",
      namespace: "here",
      labels: { a: "b" },
      finalizers: ["x/y"],
      creationTimestamp: "2027-01-15T08:00:00Z",
      generation: 1,
    });
    assert.equal(newMeta(sent, { namespace: undefined, hasGeneration: false, now, random }).generation, 9);
  });

  it("appends a random suffix to generateName and cuts a prefix that is too long", () => {
    assert.ok(needsName({ generateName: "web-" }));
    assert.ok(!needsName({ name: "web", generateName: "web-" }));
    assert.match(generatedName({ generateName: "web-" }, random), /^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    assert.equal(generatedName({ generateName: "x".repeat(70) }, random).length, 63);
  });
});

describe("updatedMeta", () => {
  it("keeps the stored values of fields that only the server sets", () => {
    const before = { name: "a", uid: "u", creationTimestamp: "2027-01-15T08:00:00Z", labels: { a: "1" } };

    const after = updatedMeta(
      {
        name: "a",
        uid: "v",
        creationTimestamp: "x",
        deletionTimestamp: "y",
        deletionGracePeriodSeconds: 1,
        labels: {},
      },
      before,
    );

    assert.deepEqual(after, { name: "a", uid: "u", creationTimestamp: "2027-01-15T08:00:00Z", labels: {} });
  });
});

describe("nextGeneration", () => {
  const object = (rest: object, generation?: number): KubeObject => ({
    apiVersion: "v1",
    kind: "Thing",
    metadata: { name: "a", ...(generation === undefined ? {} : { generation }) },
    ...rest,
  });
  const rules = { hasGeneration: true, hasStatus: true };

  it("increments the generation when the spec changes, not when status or metadata change", () => {
    const before = object({ spec: { size: 1 }, status: { phase: "A" } }, 3);

    assert.equal(nextGeneration(object({ spec: { size: 2 } }), before, rules), 4);
    assert.equal(nextGeneration(object({ spec: { size: 1 }, status: { phase: "B" } }), before, rules), 3);
    assert.equal(
      nextGeneration(object({ spec: { size: 1 }, status: { phase: "B" } }), before, { ...rules, hasStatus: false }),
      4,
    );
    assert.equal(nextGeneration(object({ spec: { size: 1 }, data: {} }), before, rules), 4);
  });

  it("returns undefined for kinds without a generation", () => {
    assert.equal(
      nextGeneration(object({ data: { a: "2" } }), object({ data: { a: "1" } }), {
        hasGeneration: false,
        hasStatus: false,
      }),
      undefined,
    );
  });
});
