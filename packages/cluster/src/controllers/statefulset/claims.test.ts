import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { OwnerReference } from "@homeostat/core";
import type { PersistentVolumeClaim } from "@homeostat/kubernetes/core/v1";
import { stateful, statefulMember } from "../../testing/stateful-sets.ts";
import { claimOwners, claimsOf, hasClaims, withClaims } from "./claims.ts";
import type { StoredStateful } from "./ordinals.ts";

type Policy = "Retain" | "Delete";

const policy = (whenDeleted: Policy, whenScaled: Policy): StoredStateful =>
  stateful({ persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled } });
const claim = (...ownerReferences: OwnerReference[]): PersistentVolumeClaim => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "data-db-0", ownerReferences },
});
const bySet = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  name: "db",
  uid: "set",
  controller: true,
  blockOwnerDeletion: true,
};
const byPod = (ordinal: number): OwnerReference => {
  const name = `db-${ordinal}`;
  return { apiVersion: "v1", kind: "Pod", name, uid: name, controller: true, blockOwnerDeletion: true };
};
const foreign = { apiVersion: "v1", kind: "ConfigMap", name: "x", uid: "x" };

describe("the owners of a claim", () => {
  it("follow from the retention policy", () => {
    const kept = statefulMember(0);
    const surplus = statefulMember(7);
    const table = [
      [policy("Retain", "Retain"), kept, [], undefined],
      [policy("Retain", "Retain"), kept, [bySet, foreign], [foreign]],
      [policy("Delete", "Retain"), kept, [], [bySet]],
      [policy("Delete", "Retain"), kept, [bySet], undefined],
      [policy("Delete", "Retain"), surplus, [], [bySet]],
      [policy("Retain", "Delete"), kept, [], undefined],
      [policy("Retain", "Delete"), surplus, [], [byPod(7)]],
      [policy("Retain", "Delete"), kept, [byPod(0)], []],
      [policy("Delete", "Delete"), kept, [], [bySet]],
      [policy("Delete", "Delete"), surplus, [bySet], [byPod(7)]],
    ] as const;

    for (const [set, pod, before, desired] of table) {
      assert.deepEqual(
        claimOwners(claim(...before), { set, pod }),
        desired,
        JSON.stringify([set.spec, pod.metadata.name]),
      );
    }
  });

  it("are not changed when another controller or an earlier pod of the same name owns it", () => {
    const context = { set: policy("Delete", "Delete"), pod: statefulMember(0) };

    assert.equal(claimOwners(claim({ ...foreign, controller: true }), context), undefined);
    assert.equal(claimOwners(claim({ ...bySet, uid: "earlier" }), context), undefined);
  });
});

describe("the claims of a pod", () => {
  const volumeClaimTemplates: PersistentVolumeClaim[] = [
    { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "data", labels: { of: "db" } }, spec: {} },
  ];
  const set = stateful({ volumeClaimTemplates });

  it("are named after the template, the StatefulSet and the ordinal", () => {
    const desired = claimsOf(set, statefulMember(2)).get("data");

    assert.equal(desired?.metadata.name, "data-db-2");
    assert.deepEqual(desired?.metadata.labels, { of: "db", app: "db" });
  });

  it("replace volumes of the same name", () => {
    const pod = statefulMember(2);
    const volumes = [
      { name: "data", emptyDir: {} },
      { name: "tmp", emptyDir: {} },
    ];

    const whole = withClaims(set, { ...pod, spec: { ...pod.spec, volumes } });

    assert.deepEqual(
      whole.spec.volumes?.map(({ name }) => name),
      ["data", "tmp"],
    );
    assert.equal(hasClaims(set, pod), false);
    assert.equal(hasClaims(set, whole), true);
  });
});
