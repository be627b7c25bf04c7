import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Stored } from "homeostat";
import { asStored } from "@homeostat/core";
import type { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import type { Pod } from "@homeostat/kubernetes/core/v1";
import { tierOf } from "./members.ts";

const set = (uid: string): Stored<StatefulSet> =>
  asStored<StatefulSet>({
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "c-controller", uid, generation: 1, resourceVersion: "1" },
    spec: { replicas: 3, selector: {}, serviceName: "c-controller", template: {} },
  });

function pod(ordinal: number, owner: string | undefined): Pod {
  const reference = {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    name: "c-controller",
    uid: owner ?? "",
    controller: true,
  };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `c-controller-${ordinal}`, ...(owner !== undefined && { ownerReferences: [reference] }) },
    spec: { containers: [] },
  };
}

const membersOf = (owner: Stored<StatefulSet> | undefined, pods: readonly Pod[]): string[] =>
  tierOf("c", "controller", { set: owner, pods }).members.map(({ podName }) => podName);

describe("the members of a StatefulSet", () => {
  it("are the pods that it controls, by ordinal", () => {
    const pods = [pod(2, "new"), pod(0, "new"), pod(1, "old")];

    assert.deepEqual(membersOf(set("new"), pods), ["c-controller-0", "c-controller-2"]);
  });

  it("are all pods while it is recreated: those of the deleted one, and those that nothing controls", () => {
    assert.deepEqual(membersOf(undefined, [pod(0, "old"), pod(1, undefined)]), ["c-controller-0", "c-controller-1"]);
    assert.deepEqual(membersOf(set("new"), [pod(0, undefined), pod(1, "new")]), ["c-controller-0", "c-controller-1"]);
  });

  it("do not include pods with other names", () => {
    const other = { ...pod(0, undefined), metadata: { name: "c-ingest-0" } };

    assert.deepEqual(membersOf(undefined, [other]), []);
  });
});
