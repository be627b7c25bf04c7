// The same scenarios with Kubernetes' own controllers and with ours: what can be seen in the end is the same.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { reasonToSkip } from "../harness/cluster.ts";
import { scenarios } from "./scenarios.ts";
import { ourSide, realSide, type Side } from "./side.ts";
import { World } from "./world.ts";

const skip = (await reasonToSkip({ need: "control-plane" })) ?? false;

describe("workloads, with Kubernetes' controllers and with ours", { skip, concurrency: 8 }, () => {
  let sides: readonly Side[] = [];

  before(async () => {
    sides = await Promise.all([realSide(), ourSide()]);
  });
  after(async () => {
    await Promise.all(sides.map((side) => side[Symbol.asyncDispose]()));
  });

  for (const [index, { name, play, isRestless = false }] of scenarios.entries()) {
    it(name, async () => {
      const [real, ours] = await Promise.all(
        sides.map(async (side) => {
          const world = new World(side, `scenario-${index}`);
          await world.open();
          await play(world);
          if (!isRestless) await world.settle();
          return world.snapshot({ isCounted: !isRestless });
        }),
      );

      assert.deepEqual(ours, real);
    });
  }
});
