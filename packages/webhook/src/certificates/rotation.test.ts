import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ClusterModel } from "../testing/cluster-model.ts";
import { simulateFiveYears } from "../testing/five-years.ts";

/** Number of disturbed simulations, each with its own seed. */
const seedCount = Number(process.env["HOMEOSTAT_ROTATION_SEEDS"] ?? 2);

describe("five years of rotations by two replicas", () => {
  it("never show an API server a certificate that it does not trust", async () => {
    const cluster = new ClusterModel(1);

    await simulateFiveYears(cluster, { isDisturbed: false });

    assert.deepEqual(cluster.violations, []);
    // The CA is replaced after two thirds of a year, the serving certificate after two thirds of 90 days.
    assert.equal(cluster.steps.get("begin"), 1);
    assert.equal(cluster.steps.get("introduce"), 7);
    assert.equal(cluster.steps.get("promote"), 7);
    assert.equal(cluster.steps.get("prune"), 7);
    assert.ok((cluster.steps.get("renew") ?? 0) >= 21, `${cluster.steps.get("renew")} renewals`);
    assert.equal(cluster.clock.pending, 0);
  });

  it("never do so when the network fails, replicas restart, and the Secret is broken or deleted", async () => {
    for (let seed = 1; seed <= seedCount; seed += 1) {
      const cluster = new ClusterModel(seed);

      await simulateFiveYears(cluster, { isDisturbed: true });

      assert.deepEqual(cluster.violations, [], `seed ${seed}`);
      assert.ok((cluster.steps.get("restore") ?? 0) > 0, "the Secret was never restored");
      assert.ok((cluster.steps.get("promote") ?? 0) >= 6, "the CA was replaced too rarely");
    }
  });
});
