import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Namespace } from "@homeostat/kubernetes/core/v1";
import { annotations, apiVersion, labels, manager } from "../api/identity.ts";
import { Tenant, type TenantInput } from "../api/tenant.ts";
import { decideNamespace } from "./namespace.ts";
import { deletionBlockers, deletionStep, pollDelayMs, reasonToRetain } from "./deletion.ts";

const tenant = Tenant.parse({ apiVersion, kind: "Tenant", metadata: { name: "acme", uid: "u1" }, spec: {} });

function namespace(metadata: Namespace["metadata"], status?: Namespace["status"]): Namespace {
  return {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "tenant-acme", ...metadata },
    ...(status === undefined ? {} : { status }),
  };
}

const ours = { ownerReferences: [{ apiVersion, kind: "Tenant", name: "acme", uid: "u1", controller: true }] };
const adopted = {
  annotations: { [annotations.tenantUid]: "u1", [annotations.adopted]: "true" },
  labels: { [labels.managedBy]: manager },
};
const leaving = { deletionTimestamp: "2026-01-01T00:00:00Z" };
const allowed = { annotations: { [annotations.allowAdoption]: "acme" } };

describe("decideNamespace", () => {
  const rows: readonly (readonly [string, Namespace | undefined, string])[] = [
    ["no namespace", undefined, "create"],
    ["its own namespace", namespace(ours), "keep"],
    ["its own namespace, adopted", namespace(adopted), "keep"],
    ["its own namespace, terminating", namespace({ ...ours, ...leaving }), "wait true"],
    ["a foreign namespace, terminating", namespace(leaving), "wait false"],
    ["a foreign namespace with consent", namespace(allowed), "adopt"],
    ["a foreign namespace with consent, terminating", namespace({ ...allowed, ...leaving }), "wait false"],
    [
      "a foreign namespace with consent for another tenant",
      namespace({ annotations: { [annotations.allowAdoption]: "globex" } }),
      "conflict",
    ],
    [
      "a foreign namespace with consent and a controller",
      namespace({
        ...allowed,
        ownerReferences: [{ apiVersion: "v1", kind: "X", name: "x", uid: "x", controller: true }],
      }),
      "conflict",
    ],
    ["a foreign namespace", namespace({}), "conflict"],
    [
      "a foreign namespace that a user labelled",
      namespace({ labels: { [labels.managedBy]: manager, [labels.tenant]: "acme" } }),
      "conflict",
    ],
    [
      "the namespace of an earlier tenant",
      namespace({ ...adopted, annotations: { [annotations.tenantUid]: "u0" } }),
      "conflict",
    ],
    ["the operator's namespace with consent", namespace({ ...allowed, name: "neurallog-system" }), "conflict"],
    ["a system namespace with consent", namespace({ ...allowed, name: "kube-system" }), "conflict"],
  ];
  for (const [title, found, expected] of rows) {
    it(`decides for ${title}: ${expected}`, () => {
      const decision = decideNamespace(found, tenant, { operatorNamespace: "neurallog-system" });

      assert.equal(decision.action === "wait" ? `wait ${decision.wasOwned}` : decision.action, expected);
    });
  }
});

describe("the deletion of a tenant", () => {
  const stays = (change: Tenant["metadata"], spec: TenantInput["spec"] = {}, isCrdDeleted = false): boolean =>
    reasonToRetain({
      tenant: Tenant.parse({ ...tenant, metadata: { ...tenant.metadata, ...change }, spec }),
      isCrdDeleted,
    }) !== undefined;

  it("keeps the namespace if a retain rule applies, and deletes it otherwise", () => {
    assert.ok(!stays({}));
    assert.ok(
      !stays({ finalizers: ["tenant.neurallog.io/finalizer", "foregroundDeletion"] }, { deletionPolicy: "Delete" }),
    );
    assert.ok(stays({}, { deletionPolicy: "Retain" }));
    assert.ok(stays({ finalizers: ["orphan"] }));
    assert.ok(stays({}, { deletionProtection: true }));
    assert.ok(stays({}, {}, true));
  });

  const rows: readonly (readonly [string, Namespace | undefined, "delete" | "orphan", string])[] = [
    ["deleted", undefined, "delete", "finish"],
    ["deleted, with a reason to retain", undefined, "orphan", "finish"],
    ["owned", namespace(ours), "delete", "delete"],
    ["owned and terminating", namespace({ ...ours, ...leaving }), "delete", "wait"],
    ["owned, with a reason to retain", namespace(ours), "orphan", "release"],
    ["adopted", namespace(adopted), "delete", "empty"],
    ["adopted, with a reason to retain", namespace(adopted), "orphan", "release"],
    ["foreign", namespace({}), "delete", "ignore"],
    ["foreign and terminating", namespace(leaving), "delete", "ignore"],
  ];
  for (const [title, found, mode, expected] of rows) {
    it(`namespace ${title}: ${expected}`, () => {
      assert.equal(deletionStep(found, tenant, mode === "delete" ? undefined : "").action, expected);
    });
  }

  it("polls after 5, 10, 20, 40 and then every 60 seconds", () => {
    const delays: number[] = [];
    for (let elapsed = 0; delays.length < 7; elapsed += delays.at(-1) ?? 0) delays.push(pollDelayMs(elapsed));

    assert.deepEqual(delays, [5_000, 10_000, 20_000, 40_000, 60_000, 60_000, 60_000]);
  });

  it("reports the conditions that block the deletion", () => {
    const conditions = [
      { type: "NamespaceDeletionDiscoveryFailure", status: "False", message: "fine" },
      { type: "NamespaceContentRemaining", status: "True", message: "pods. has 1 resource instances" },
      { type: "NamespaceFinalizersRemaining", status: "True", message: "example.com/x in 1 resource instances" },
      { type: "SomethingElse", status: "True", message: "no" },
    ];

    assert.equal(
      deletionBlockers(namespace({}, { conditions })),
      "pods. has 1 resource instances; example.com/x in 1 resource instances",
    );
    assert.equal(deletionBlockers(namespace({})), "");
  });
});
