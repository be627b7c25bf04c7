import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { asStored, labelSelectorFrom } from "@homeostat/core";
import { ReplicaSet } from "@homeostat/kubernetes/apps/v1";
import { decideClaim } from "./claim.ts";
import { somePod } from "../../testing/pods.ts";

const set = (metadata: object = {}): Parameters<typeof decideClaim>[1]["owner"] => ({
  type: ReplicaSet,
  object: asStored({
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: "web", uid: "me", resourceVersion: "1", ...metadata },
  }),
});
const going = set({ deletionTimestamp: "2026-01-01T12:00:00Z" });
const selector = labelSelectorFrom({ matchLabels: { app: "web" } });
const labels = { app: "web" };

describe("decideClaim of a pod", () => {
  it("keeps, releases, adopts or ignores it", () => {
    const table = [
      [somePod("mine", { labels, owner: "me" }), set(), "keep"],
      [somePod("mine", { owner: "me" }), set(), "release"],
      [somePod("mine", { owner: "me" }), going, "ignore"],
      [somePod("stray", { labels }), set(), "adopt"],
      [somePod("stray", { labels }), going, "ignore"],
      [somePod("stray", { labels, isGoing: true }), set(), "ignore"],
      [somePod("stray"), set(), "ignore"],
      [somePod("other's", { labels, owner: "other" }), set(), "ignore"],
    ] as const;

    for (const [pod, owner, expected] of table) assert.equal(decideClaim(pod, { owner, selector }), expected, expected);
  });

  it("ignores a pod that the owner's filter rejects, whatever its labels", () => {
    const isEligible = (): boolean => false;

    assert.equal(decideClaim(somePod("stray", { labels }), { owner: set(), selector, isEligible }), "ignore");
  });
});
