import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { SentRequest } from "@homeostat/operator-testing";
import { Bench } from "../testing/bench.ts";

describe("an operator with finished tests or failing status writes", () => {
  let bench: Bench;
  before(async () => {
    bench = await Bench.start({ parts: "api" });
  });
  after(() => bench[Symbol.asyncDispose]());

  it("sends only watches while all tests are finished", async () => {
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
    { purpose: "initialize status", isLost: isStatusWith('"phase":"Pending"') },
    { purpose: "update status after resource creation", isLost: isStatusWith('"phase":"Running"') },
    { purpose: "update status from Jobs", isLost: isStatusWith('"phase":"Succeeded"') },
  ] as const;
  for (const { purpose, isLost } of cases) {
    it(`logs one line when it fails to ${purpose}, and retries`, async () => {
      const namespace = await bench.namespace();
      let isDown = true;
      await using operator = await bench.run(namespace, { isLost: (sent) => isDown && isLost(sent) });
      await bench.create(namespace, "a");
      if (purpose.endsWith("Jobs")) {
        await bench.phase(namespace, "a", "Running");
        await bench.endJob(namespace, "a-master", "Complete");
      }
      const logged = await bench.until("the line", async () =>
        operator.lines.find((line) => line.message === `Failed to ${purpose}`),
      );
      isDown = false;

      if (!purpose.endsWith("Jobs")) {
        await bench.phase(namespace, "a", "Running");
        await bench.endJob(namespace, "a-master", "Complete");
      }
      await bench.phase(namespace, "a", "Succeeded");

      assert.equal(logged.level, "error");
      assert.equal(operator.lines.filter((line) => line["error"] === logged["error"]).length, 1);
      assert.equal(
        operator.writes().filter((write) => write === "POST jobs").length,
        2,
        "and nothing is created twice",
      );
    });
  }
});

/** Returns a predicate for status writes whose body contains a text. */
function isStatusWith(text: string): (sent: SentRequest) => boolean {
  return ({ path, body }) => /\/locusttests\/[^/]+\/status/.test(path) && body.includes(text);
}
