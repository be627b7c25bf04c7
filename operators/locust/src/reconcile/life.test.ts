import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Bench, conditionOf } from "../testing/bench.ts";

describe("a test on a cluster", () => {
  let bench: Bench;
  before(async () => {
    bench = await Bench.start();
  });
  after(() => bench[Symbol.asyncDispose]());

  it("succeeds when its master exits with 0", async () => {
    const namespace = await bench.namespace();
    await using operator = await bench.run(namespace);
    await bench.create(namespace, "shop.smoke");

    const test = await bench.phase(namespace, "shop.smoke", "Succeeded");

    assert.equal(conditionOf(test, "TestCompleted"), "True TestSucceeded: Test completed successfully");
    await bench.pass(1_000);
    assert.deepEqual(await bench.events(namespace, "shop.smoke"), [
      "Normal Created: Created Service shop-smoke-master",
      "Normal Created: Created Job shop-smoke-master",
      "Normal Created: Created Job shop-smoke-worker",
      "Normal TestStarted: Load test execution started",
      "Normal TestCompleted: Load test completed successfully",
    ]);
    assert.equal(test.status?.result?.outcome, "Passed");
    assert.equal(test.status?.result?.masterExitCode, 0);
    assert.deepEqual(
      operator.lines.filter(({ level }) => level === "error" || level === "warn"),
      [],
    );
  });
});
