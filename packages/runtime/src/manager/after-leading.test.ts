import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { afterLeading } from "./after-leading.ts";

describe("afterLeading", () => {
  it("acts when the lead is lost, once each time, and not before", async () => {
    let acts = 0;
    const service = afterLeading("metrics", () => (acts += 1));

    for (const term of [1, 2]) {
      const lead = new AbortController();
      const running = service.run(lead.signal);
      await Promise.resolve();
      assert.equal(acts, term - 1);
      lead.abort();
      await running;
      assert.equal(acts, term);
    }
    assert.deepEqual([service.name, service.when], ["metrics", "leading"]);
  });

  it("acts at once when the lead is lost already", async () => {
    let acts = 0;

    await afterLeading("metrics", () => (acts += 1)).run(AbortSignal.abort());

    assert.equal(acts, 1);
  });

  it("fails as its act does", async () => {
    const lead = new AbortController();
    const failure = new Error("full");
    const running = afterLeading("metrics", () => {
      throw failure;
    }).run(lead.signal);

    lead.abort();

    await assert.rejects(running, failure);
  });
});
