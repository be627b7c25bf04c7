// The same scenarios with Kubernetes' own controllers and with ours: what can be seen in the end is the same.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Node } from "@homeostat/kubernetes/core/v1";
import { reasonToSkip } from "../../../harness/cluster.ts";
import { scenarios } from "./scenarios.ts";
import { allSides, type Side } from "./side.ts";
import { World } from "./world.ts";

const node: Node = { apiVersion: "v1", kind: "Node", metadata: { name: "somewhere" } };
const skip = (await reasonToSkip({ need: "control-plane" })) ?? false;

describe("workloads, with Kubernetes' controllers and with ours", { skip, concurrency: 8 }, () => {
  let sides: readonly Side[] = [];

  before(async () => {
    sides = await allSides();
    // A node for pods that are to be on one; without it, Kubernetes would take them for lost.
    for (const { client } of sides) await client.create(Node, node);
  });
  after(async () => {
    await Promise.all(sides.map((side) => side[Symbol.asyncDispose]()));
  });

  for (const [index, { name, play, isRestless = false }] of scenarios.entries()) {
    it(name, async () => {
      const [real, ours, embedded] = await Promise.all(
        sides.map(async (side) => {
          const world = new World(side, `scenario-${index}`);
          await world.open();
          await play(world);
          if (!isRestless) await world.settle();
          return world.snapshot({ isCounted: !isRestless });
        }),
      );

      assert.deepEqual(ours, real, "our controllers");
      assert.deepEqual(embedded, real, "the embedded control plane");
    });
  }
});
