import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { deletionCost, inDeletionOrder } from "./deletion-order.ts";
import { somePod } from "../../testing/pods.ts";

const names = (pods: readonly { metadata: { name: string } }[]): string[] => pods.map(({ metadata }) => metadata.name);
const node = "n1";

describe("the deletion order of pods", () => {
  it("compares node, phase, readiness, cost, related pods on the node, ready time, restarts and age", () => {
    const expected = [
      somePod("no-node", { ready: "11:00:00Z" }),
      somePod("pending", { node, phase: "Pending" }),
      somePod("unready", { node }),
      somePod("cheap", { node, ready: "09:00:00Z", cost: "-1" }),
      somePod("crowded", { node: "n2", ready: "09:00:00Z" }),
      somePod("just-ready", { node, ready: "11:59:00Z" }),
      somePod("restarted", { node, ready: "08:00:00Z", restarts: 3 }),
      somePod("young", { node, ready: "08:00:00Z", created: "11:59:00Z" }),
      somePod("old", { node, ready: "08:00:00Z", created: "01:00:00Z" }),
    ];
    const now = Date.UTC(2026, 0, 1, 12);

    const found = inDeletionOrder(expected.toReversed(), { now, rank: ({ spec }) => (spec.nodeName === "n2" ? 5 : 1) });

    assert.deepEqual(names(found), names(expected));
  });

  it("compares ages by logarithm with a current time, and exactly without", () => {
    const [a, b] = [somePod("a", { node, created: "08:00:00Z" }), somePod("b", { node, created: "08:00:01Z" })];

    assert.deepEqual(names(inDeletionOrder([a, b])), ["b", "a"]);
    assert.deepEqual(names(inDeletionOrder([b, a], { now: Date.UTC(2026, 0, 1, 12) })), ["a", "b"]);
  });

  it("accepts only integers as deletion cost", () => {
    const costs = ["5", "-7", "0", "+5", "05", "5.0", "x", "2147483648", "", "-0"];

    assert.deepEqual(
      costs.map((cost) => deletionCost(somePod("a", { cost }))),
      [5, -7, 0, 0, 0, 0, 0, 0, 0, 0],
    );
  });
});
