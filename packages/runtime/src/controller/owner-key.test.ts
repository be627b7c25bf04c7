import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ArgumentError, type KubeObject, ParseError, type ResourceType, SeededRandom } from "@homeostat/core";
import { Cache } from "../cache/cache.ts";
import { StepClock } from "../testing/step-clock.ts";
import { KindReader } from "./kind-reader.ts";
import { Page, Site } from "../testing/sample-operator.ts";
import { ownerOf, namespacedKey } from "./owner-key.ts";

const Zone: ResourceType = { group: "", version: "v1", kind: "Zone", plural: "zones", scope: "Cluster" };

function owned(reference: object | undefined): KubeObject {
  const ownerReferences: unknown = reference === undefined ? undefined : [reference];
  return JSON.parse(
    JSON.stringify({ apiVersion: "v1", kind: "Page", metadata: { namespace: "ns", name: "p", ownerReferences } }),
  );
}

describe("ownerOf", () => {
  const reference = { apiVersion: "example.com/v1", kind: "Site", name: "a", uid: "u", controller: true };

  it("finds the controller owner by group and kind, in any version", () => {
    assert.deepEqual(ownerOf(Site, owned(reference)), { key: "ns/a", uid: "u" });
    assert.deepEqual(ownerOf(Site, owned({ ...reference, apiVersion: "example.com/v9" })), { key: "ns/a", uid: "u" });
    assert.deepEqual(ownerOf(Zone, owned({ ...reference, apiVersion: "v1", kind: "Zone" })), { key: "a", uid: "u" });
  });

  it("ignores owners of other kinds and owners that are not the controller", () => {
    const others = [
      undefined,
      { ...reference, controller: false },
      { ...reference, kind: "Page" },
      { ...reference, apiVersion: "other.com/v1" },
      { ...reference, apiVersion: "v1" },
      { ...reference, apiVersion: "x.example.com/v1" },
    ];

    for (const other of others) assert.equal(ownerOf(Site, owned(other)), undefined);
  });
});

describe("namespacedKey", () => {
  it("adds the given namespace to a bare name if the kind is namespaced", () => {
    assert.equal(namespacedKey(Site, "a", "ns"), "ns/a");
    assert.equal(namespacedKey(Site, "other/a", "ns"), "other/a");
    assert.equal(namespacedKey(Site, { name: "a" }, "ns"), "ns/a");
    assert.equal(namespacedKey(Site, { namespace: "x", name: "a" }, "ns"), "x/a");
    assert.equal(namespacedKey(Zone, "a", "ns"), "a");
  });

  it("rejects an invalid key", () => {
    for (const key of ["", "/", "a/b/c", { name: "" }, { name: "a/b/c" }]) {
      assert.throws(() => namespacedKey(Site, key, "ns"), ParseError);
    }
  });
});

describe("KindReader", () => {
  it("names the kind or index that the controller does not have", () => {
    const sources = (): never => assert.fail();
    const cache = new Cache({
      sources: () => ({ list: sources, watch: sources }),
      clock: new StepClock(),
      random: new SeededRandom(1),
    });
    const informer = cache.informer<KubeObject>(Site).index("text", ({ metadata }) => metadata.name);
    const reader = new KindReader([{ type: Site, informer, indexes: new Set(["text"]) }]);

    assert.deepEqual(reader.list(Site), []);
    assert.deepEqual(reader.by(Site, "text", "x"), []);
    assert.equal(reader.get(Site, "a/b"), undefined);
    assert.equal(reader.find(Page, "a/b"), undefined);
    assert.throws(
      () => reader.get(Page, "a/b"),
      (error) => error instanceof ArgumentError && /pages\.example\.com/.test(error.message),
    );
    assert.throws(
      () => reader.by(Site, "color", "x"),
      (error) => error instanceof ArgumentError && /color/.test(error.message),
    );
  });
});
