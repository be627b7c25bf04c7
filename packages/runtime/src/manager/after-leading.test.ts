import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { afterLeading } from "./after-leading.ts";

describe("afterLeading", () => {
  it("calls the function once each time leadership is lost, and not before", async () => {
    let calls = 0;
    const service = afterLeading("metrics", () => (calls += 1));

    for (const term of [1, 2]) {
      const lead = new AbortController();
      const running = service.run(lead.signal);
      await Promise.resolve();
      assert.equal(calls, term - 1);
      lead.abort();
      await running;
      assert.equal(calls, term);
    }
    assert.deepEqual([service.name, service.when], ["metrics", "leading"]);
  });

  it("calls the function at once when leadership is already lost", async () => {
    let calls = 0;

    await afterLeading("metrics", () => (calls += 1)).run(AbortSignal.abort());

    assert.equal(calls, 1);
  });

  it("rejects with the error of the function", async () => {
    const lead = new AbortController();
    const failure = new Error("full");
    const running = afterLeading("metrics", () => {
      throw failure;
    }).run(lead.signal);

    lead.abort();

    await assert.rejects(running, failure);
  });
});
