// Runs the same scenarios with the controllers of Kubernetes and with ours, and compares the final states.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Node } from "@homeostat/kubernetes/core/v1";
import { reasonToSkip } from "../../../harness/cluster.ts";
import { scenarios } from "./scenarios.ts";
import { allSubjects, type Subject } from "./subject.ts";
import { Stage } from "./stage.ts";

const node: Node = { apiVersion: "v1", kind: "Node", metadata: { name: "somewhere" } };
const skip = (await reasonToSkip({ need: "control-plane" })) ?? false;

describe("workload controllers of Kubernetes and ours", { skip, concurrency: 8 }, () => {
  let subjects: readonly Subject[] = [];

  before(async () => {
    subjects = await allSubjects();
    // A node for bound pods; without it, Kubernetes would delete them as orphaned.
    for (const { client } of subjects) await client.create(Node, node);
  });
  after(async () => {
    await Promise.all(subjects.map((side) => side[Symbol.asyncDispose]()));
  });

  for (const [index, { name, play, retriesForever = false }] of scenarios.entries()) {
    it(name, async () => {
      const [real, ours, embedded] = await Promise.all(
        subjects.map(async (side) => {
          const stage = new Stage(side, `scenario-${index}`);
          await stage.open();
          await play(stage);
          if (!retriesForever) await stage.settle();
          return stage.snapshot({ isCounted: !retriesForever });
        }),
      );

      assert.deepEqual(ours, real, "our controllers");
      assert.deepEqual(embedded, real, "the embedded control plane");
    });
  }
});
