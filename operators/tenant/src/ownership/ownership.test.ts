import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KubeObject, ObjectMeta } from "@homeostat/core";
import { annotations, apiVersion, labels, manager } from "../api/identity.ts";
import { isOwned, ownerReferencesOf } from "./owned.ts";
import { digestOf, recordedHash, stamp } from "./stamp.ts";

const tenant = { metadata: { name: "acme", uid: "u1" }, spec: {} };

function object(metadata: ObjectMeta): KubeObject {
  return { apiVersion: "v1", kind: "Service", metadata: { name: "acme-redis", namespace: "tenant-acme", ...metadata } };
}

function controlledBy(uid: string, more: { readonly apiVersion?: string; readonly kind?: string } = {}): ObjectMeta {
  return { ownerReferences: [{ apiVersion, kind: "Tenant", name: "acme", uid, controller: true, ...more }] };
}

const marked = { annotations: { [annotations.tenantUid]: "u1" }, labels: { [labels.managedBy]: manager } };

describe("what belongs to a tenant", () => {
  const rows: readonly (readonly [string, ObjectMeta, boolean])[] = [
    ["what it controls, by uid", controlledBy("u1"), true],
    [
      "what it controls under another version of its group",
      controlledBy("u1", { apiVersion: "neurallog.io/v9" }),
      true,
    ],
    ["not what a namesake controlled", controlledBy("u0"), false],
    ["not what a Tenant of another group controls", controlledBy("u1", { apiVersion: "other.io/v1" }), false],
    ["not what another kind controls", controlledBy("u1", { kind: "Deployment" }), false],
    ["not what has a controller that cannot be read", controlledBy("u1", { apiVersion: "a/b/c" }), false],
    ["what has no controller and says whose it is, and by whom", marked, true],
    ["not what has another controller, whatever it says", { ...marked, ...controlledBy("u0") }, false],
    ["not what says nothing about by whom", { annotations: marked.annotations }, false],
    ["not what has labels alone", { labels: { ...marked.labels, [labels.tenant]: "acme" } }, false],
    ["not what has the mark of another", { ...marked, annotations: { [annotations.tenantUid]: "u2" } }, false],
    ["not what has the name alone", {}, false],
  ];
  for (const [title, metadata, expected] of rows) {
    it(`is ${title}`, () => {
      assert.equal(isOwned(object(metadata), tenant), expected);
    });
  }
});

describe("the marks of what is made for a tenant", () => {
  it("are the uid, a reference that controls, and a digest", () => {
    const made = stamp({ ...object({}), metadata: { name: "a" } }, tenant);

    assert.equal(made.metadata.annotations?.[annotations.tenantUid], "u1");
    assert.deepEqual(made.metadata.ownerReferences, [
      { apiVersion, kind: "Tenant", name: "acme", uid: "u1", controller: true, blockOwnerDeletion: true },
    ]);
    assert.match(recordedHash(made) ?? "", /^[0-9a-f]{16}$/);
  });

  it("have no reference when everything is to outlive the tenant, which is another wish", () => {
    const wanted = { ...object({}), metadata: { name: "a" } };
    const retaining = { ...tenant, spec: { deletionPolicy: "Retain" as const } };

    assert.equal(stamp(wanted, retaining).metadata.ownerReferences, undefined);
    assert.deepEqual(ownerReferencesOf(retaining), []);
    assert.notEqual(recordedHash(stamp(wanted, retaining)), recordedHash(stamp(wanted, tenant)));
    assert.ok(
      isOwned(
        {
          ...stamp(wanted, retaining),
          metadata: { ...stamp(wanted, retaining).metadata, labels: marked.labels },
        },
        retaining,
      ),
    );
  });

  it("have a digest in which the order of keys and what is undefined do not count", () => {
    assert.equal(digestOf({ a: 1, b: { c: [1, 2], d: undefined } }), digestOf({ b: { c: [1, 2] }, a: 1 }));
    assert.notEqual(digestOf({ a: [1, 2] }), digestOf({ a: [2, 1] }));
    assert.notEqual(digestOf(JSON.parse('{"__proto__": 1}')), digestOf({}));
  });
});
