import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { SentRequest } from "@homeostat/operator-testing";
import { Bench } from "../testing/bench.fixture.test.ts";

describe("an operator whose work is done, or cannot be written down", () => {
  let bench: Bench;
  before(async () => {
    bench = await Bench.start({ parts: "api" });
  });
  after(() => bench[Symbol.asyncDispose]());

  it("sends nothing but its watches while tests that have ended are all there is", async () => {
    const namespace = await bench.namespace();
    await using operator = await bench.run(namespace);
    for (const name of ["a", "b"]) await bench.create(namespace, name);
    await bench.phase(namespace, "a", "Running");
    await bench.phase(namespace, "b", "Running");
    await bench.endJob(namespace, "a-master", "Complete");
    await bench.endJob(namespace, "b-master", "Failed");
    await bench.phase(namespace, "a", "Succeeded");
    await bench.phase(namespace, "b", "Failed");
    await bench.pass(10_000);
    const before = operator.requests.length;

    await bench.pass(150_000);

    assert.ok(before > 10);
    const sent = operator.requests.slice(before).filter((request) => !request.includes("watch=true"));
    assert.deepEqual(sent, []);
  });

  const cases = [
    { message: "Failed to initialize status", isLost: isStatusWith('"phase":"Pending"') },
    { message: "Failed to update status after resource creation", isLost: isStatusWith('"phase":"Running"') },
    { message: "Failed to update status from Jobs", isLost: isStatusWith('"phase":"Succeeded"') },
  ] as const;
  for (const { message, isLost } of cases) {
    it(`logs the error "${message}", and does it later`, async () => {
      const namespace = await bench.namespace();
      let isDown = true;
      await using operator = await bench.run(namespace, { isLost: (sent) => isDown && isLost(sent) });
      await bench.create(namespace, "a");
      if (message.endsWith("Jobs")) {
        await bench.phase(namespace, "a", "Running");
        await bench.endJob(namespace, "a-master", "Complete");
      }
      const said = await bench.until("the line", async () => operator.lines.find((line) => line.message === message));
      isDown = false;

      if (!message.endsWith("Jobs")) {
        await bench.phase(namespace, "a", "Running");
        await bench.endJob(namespace, "a-master", "Complete");
      }
      await bench.phase(namespace, "a", "Succeeded");

      assert.equal(said.level, "error");
      assert.ok(said["error"] instanceof Error);
      assert.equal(operator.writes().filter((write) => write === "POST jobs").length, 2, "and nothing is made twice");
    });
  }
});

/** Whether a request writes a status that says something. */
function isStatusWith(text: string): (sent: SentRequest) => boolean {
  return ({ path, body }) => /\/locusttests\/[^/]+\/status/.test(path) && body.includes(text);
}
