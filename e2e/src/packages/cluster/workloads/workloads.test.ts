// Runs the same scenarios with the controllers of Kubernetes and with ours, and compares the final states.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Node } from "@homeostat/kubernetes/core/v1";
import { reasonToSkip } from "../../../harness/cluster.ts";
import { scenarios } from "./scenarios.ts";
import { allSubjects, type Subject } from "./subject.ts";
import { Stage } from "./stage.ts";
import { keepsProgressing, withoutProgressing } from "./normalise.ts";

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

  for (const [index, scenario] of scenarios.entries()) {
    const { name, play, retriesForever = false, mayKeepProgressing = false } = scenario;
    it(name, async () => {
      const snapshots = await Promise.all(
        subjects.map(async (side) => {
          const stage = new Stage(side, `scenario-${index}`);
          await stage.open();
          await play(stage);
          if (!retriesForever) await stage.settle();
          return stage.snapshot({ isCounted: !retriesForever });
        }),
      );

      const isKept = mayKeepProgressing && keepsProgressing(snapshots[0]);
      const [real, ours, embedded] = isKept ? snapshots.map(withoutProgressing) : snapshots;

      assert.deepEqual(ours, real, "our controllers");
      assert.deepEqual(embedded, real, "the embedded control plane");
    });
  }
});
