import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { deepFreeze } from "../value/freeze.ts";
import type { KubeObject, ObjectMeta } from "./object.ts";
import { controllerOf, isOwnedBy, removeOwnerReference, setControllerReference, setOwnerReference } from "./owners.ts";

function object(kind: string, metadata: ObjectMeta): KubeObject {
  return deepFreeze<KubeObject>({ apiVersion: "example.com/v1", kind, metadata }) as KubeObject;
}

const shop = object("Shop", { namespace: "default", name: "shop", uid: "shop-1" });
const other = object("Shop", { namespace: "default", name: "other", uid: "other-1" });
const job = object("Job", { namespace: "default", name: "load" });

describe("setControllerReference", () => {
  it("sets the controller without changing the original", () => {
    const owned = setControllerReference(shop, job);

    assert.deepEqual(owned.metadata.ownerReferences, [
      {
        apiVersion: "example.com/v1",
        kind: "Shop",
        name: "shop",
        uid: "shop-1",
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    assert.equal(job.metadata.ownerReferences, undefined);
    assert.deepEqual(controllerOf(owned), owned.metadata.ownerReferences[0]);
  });

  it("returns the same object if it already has that controller", () => {
    const owned = setControllerReference(shop, job);

    assert.equal(setControllerReference(shop, owned), owned);
  });

  it("turns an owner into the controller, at the same position", () => {
    const owned = setOwnerReference(other, setOwnerReference(shop, job));

    const controlled = setControllerReference(shop, owned);

    assert.deepEqual(
      controlled.metadata.ownerReferences?.map(({ uid, controller }) => [uid, controller]),
      [
        ["shop-1", true],
        ["other-1", undefined],
      ],
    );
  });

  it("updates the apiVersion of an owner", () => {
    const owned = setControllerReference(shop, job);

    const updated = setControllerReference({ ...shop, apiVersion: "example.com/v2" }, owned);

    assert.equal(controllerOf(updated)?.apiVersion, "example.com/v2");
    assert.equal(updated.metadata.ownerReferences?.length, 1);
  });

  it("refuses a second controller and names both", () => {
    const owned = setControllerReference(other, job);

    assert.throws(() => setControllerReference(shop, owned), {
      name: "OwnerConflictError",
      code: "OWNER_CONFLICT",
      retryable: true,
      object: "Job default/load",
      message:
        "Job default/load is already controlled by Shop other (uid other-1), so it cannot be controlled by Shop shop (uid shop-1). Use another name, or remove the other controller reference.",
    });
  });

  it("treats a recreated owner with the same name as another owner", () => {
    const owned = setControllerReference(shop, job);
    const again = object("Shop", { namespace: "default", name: "shop", uid: "shop-2" });

    assert.throws(() => setControllerReference(again, owned), { code: "OWNER_CONFLICT", message: /garbage collector/ });
  });

  it("allows a cluster-scoped owner of a namespaced object", () => {
    const tenant = object("Tenant", { name: "acme", uid: "t-1" });

    assert.equal(isOwnedBy(setControllerReference(tenant, job), tenant), true);
    assert.equal(isOwnedBy(setControllerReference(tenant, object("Namespace", { name: "acme" })), tenant), true);
  });

  it("refuses an owner in another namespace, and a namespaced owner of a cluster-scoped object", () => {
    for (const target of [
      object("Job", { namespace: "elsewhere", name: "load" }),
      object("Namespace", { name: "load" }),
    ]) {
      assert.throws(() => setControllerReference(shop, target), { name: "OwnerScopeError", code: "OWNER_SCOPE" });
      assert.throws(() => setOwnerReference(shop, target), { code: "OWNER_SCOPE" });
    }
  });

  it("refuses an owner that is not stored yet, and the object itself", () => {
    for (const metadata of [{ name: "shop" }, { uid: "x" }, { name: "", uid: "x" }]) {
      assert.throws(() => setControllerReference(object("Shop", metadata), job), { code: "ARGUMENT" });
    }
    assert.throws(() => setControllerReference(shop, shop), { code: "ARGUMENT", message: /itself/ });
  });

  it("names an object with generateName in errors", () => {
    const unnamed = object("Job", { namespace: "elsewhere", generateName: "load-" });

    assert.throws(() => setControllerReference(shop, unnamed), { message: /Job elsewhere\/load-…/ });
  });

  it("sets blockOwnerDeletion as requested", () => {
    const owned = setControllerReference(shop, job, { blockOwnerDeletion: false });

    assert.equal(controllerOf(owned)?.blockOwnerDeletion, false);
  });
});

describe("setOwnerReference", () => {
  it("adds an owner to others, once", () => {
    const owned = setOwnerReference(other, setControllerReference(shop, job));

    assert.deepEqual(
      owned.metadata.ownerReferences?.map(({ name }) => name),
      ["shop", "other"],
    );
    assert.equal(setOwnerReference(other, owned), owned);
  });

  it("keeps a controller the controller", () => {
    const owned = setControllerReference(shop, job);

    assert.equal(setOwnerReference(shop, owned), owned);
  });
});

describe("removeOwnerReference and isOwnedBy", () => {
  it("compare UIDs only", () => {
    const owned = setOwnerReference(other, setControllerReference(shop, job));
    const again = object("Shop", { namespace: "default", name: "shop", uid: "shop-2" });

    assert.equal(isOwnedBy(owned, shop), true);
    assert.equal(isOwnedBy(owned, again), false);
    assert.equal(isOwnedBy(owned, { metadata: { name: "shop" } }), false);
    assert.equal(removeOwnerReference(again, owned), owned);
    assert.deepEqual(
      removeOwnerReference(shop, owned).metadata.ownerReferences?.map(({ name }) => name),
      ["other"],
    );
    assert.equal(controllerOf(removeOwnerReference(shop, owned)), undefined);
  });
});
