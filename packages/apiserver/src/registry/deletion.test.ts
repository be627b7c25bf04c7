import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatTime, type KubeObject, type ObjectMeta } from "@homeostat/core";
import fc from "fast-check";
import { decideDeletion, type DeletionRequest, isDeletionOver } from "./deletion.ts";

const now = 1_800_000_000_000;
const at = (seconds: number): string => formatTime(now + seconds * 1000);
const object = (metadata: ObjectMeta = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a", uid: "u", resourceVersion: "7", generation: 1, ...metadata },
});
const plain = { graceSeconds: undefined, now };
const pod = { graceSeconds: 30, now };

/** Returns the metadata after a deletion that marks the object; fails for any other decision. */
function markedMetadata(metadata: ObjectMeta, request: DeletionRequest, rules: typeof plain | typeof pod): ObjectMeta {
  const deletion = decideDeletion(object(metadata), request, rules);
  assert.equal(deletion.type, "mark");
  return deletion.type === "mark" ? deletion.object.metadata : {};
}

describe("decideDeletion", () => {
  it("removes an object without finalizers and grace period", () => {
    assert.deepEqual(decideDeletion(object(), {}, plain), { type: "remove" });
    assert.deepEqual(decideDeletion(object(), { propagation: "Background" }, plain), { type: "remove" });
  });

  it("rejects a failed precondition with the message of kube-apiserver", () => {
    assert.deepEqual(decideDeletion(object(), { preconditions: { uid: "v" } }, plain), {
      type: "refused",
      detail:
        "the UID in the precondition (v) does not match the UID in record (u). The object might have been deleted and then recreated",
    });
    assert.deepEqual(decideDeletion(object(), { preconditions: { resourceVersion: "6" } }, plain), {
      type: "refused",
      detail:
        "the ResourceVersion in the precondition (6) does not match the ResourceVersion in record (7). The object might have been modified",
    });
    assert.deepEqual(decideDeletion(object(), { preconditions: { uid: "u", resourceVersion: "7" } }, plain), {
      type: "remove",
    });
  });

  it("marks an object with finalizers and increments its generation", () => {
    const metadata = markedMetadata({ finalizers: ["x/y"] }, {}, plain);

    assert.deepEqual(metadata, {
      ...object().metadata,
      generation: 2,
      finalizers: ["x/y"],
      deletionTimestamp: at(0),
      deletionGracePeriodSeconds: 0,
    });
    assert.deepEqual(decideDeletion(object(metadata), {}, plain), { type: "pending" });
  });

  it("sets the finalizers of the garbage collector by the propagation policy", () => {
    assert.deepEqual(markedMetadata({}, { propagation: "Foreground" }, plain).finalizers, ["foregroundDeletion"]);
    assert.deepEqual(markedMetadata({}, { propagation: "Orphan" }, plain).finalizers, ["orphan"]);
    const waiting = markedMetadata({ finalizers: ["x/y"] }, { propagation: "Foreground" }, plain);
    assert.deepEqual(waiting.finalizers, ["x/y", "foregroundDeletion"]);
    assert.deepEqual(markedMetadata(waiting, { propagation: "Orphan" }, plain).finalizers, ["x/y", "orphan"]);
    assert.deepEqual(markedMetadata(waiting, { propagation: "Background" }, plain).finalizers, ["x/y"]);
    assert.equal(decideDeletion(object(waiting), {}, plain).type, "pending", "no wish leaves them");
  });

  it("starts the grace period, and only shortens a running one", () => {
    const first = markedMetadata({}, {}, pod);
    assert.equal(first.deletionTimestamp, at(30));
    assert.equal(first.deletionGracePeriodSeconds, 30);
    assert.equal(first.generation, 2);

    assert.equal(decideDeletion(object(first), {}, pod).type, "pending");
    assert.equal(decideDeletion(object(first), { gracePeriodSeconds: 40 }, pod).type, "pending");
    const shorter = markedMetadata(first, { gracePeriodSeconds: 10 }, pod);
    assert.equal(shorter.deletionTimestamp, at(10));
    assert.equal(shorter.generation, 2, "only the first mark counts");
    assert.deepEqual(decideDeletion(object(shorter), { gracePeriodSeconds: 0 }, pod), { type: "remove" });
    assert.equal(markedMetadata({}, { gracePeriodSeconds: -5 }, pod).deletionGracePeriodSeconds, 1);
  });

  it("keeps the grace period of an object that also has finalizers", () => {
    const first = markedMetadata({ finalizers: ["x/y"] }, {}, pod);

    assert.equal(first.deletionGracePeriodSeconds, 30);
    assert.equal(decideDeletion(object(first), {}, pod).type, "pending");
    assert.equal(markedMetadata(first, { gracePeriodSeconds: 0 }, pod).deletionGracePeriodSeconds, 0);
  });

  it("changes nothing when the same request is repeated", () => {
    const request = fc.record(
      {
        gracePeriodSeconds: fc.constantFrom(-1, 0, 1, 5, 30, 60),
        propagation: fc.constantFrom("Orphan" as const, "Background" as const, "Foreground" as const),
      },
      { requiredKeys: [] },
    );
    const finalizers = fc.subarray(["x/y", "orphan", "foregroundDeletion"]);
    fc.assert(
      fc.property(request, finalizers, fc.constantFrom(plain, pod), (wanted, given, rules) => {
        const deletion = decideDeletion(object(given.length === 0 ? {} : { finalizers: given }), wanted, rules);
        if (deletion.type !== "mark") return;

        const again = decideDeletion(deletion.object, wanted, rules);

        assert.notEqual(again.type, "mark");
        assert.equal(again.type === "remove", isDeletionOver(deletion.object));
      }),
    );
  });
});

describe("isDeletionOver", () => {
  it("is true without finalizers and with a grace period of 0", () => {
    assert.equal(isDeletionOver(object()), false);
    assert.equal(isDeletionOver(object({ deletionTimestamp: at(0), deletionGracePeriodSeconds: 0 })), true);
    assert.equal(isDeletionOver(object({ deletionTimestamp: at(0), finalizers: ["x/y"] })), false);
    assert.equal(isDeletionOver(object({ deletionTimestamp: at(30), deletionGracePeriodSeconds: 30 })), false);
  });
});
