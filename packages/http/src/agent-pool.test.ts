import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AgentPool } from "./agent-pool.ts";

describe("AgentPool", () => {
  it("returns the same agent for the same key, and another for another key", () => {
    using pool = new AgentPool(2);

    const [a, b] = [pool.agentFor("a"), pool.agentFor("b")];

    assert.equal(pool.agentFor("a"), a);
    assert.notEqual(a, b);
  });

  it("drops the oldest agent beyond its limit", () => {
    using pool = new AgentPool(2);
    const [a, b] = [pool.agentFor("a"), pool.agentFor("b")];

    pool.agentFor("c");

    assert.equal(pool.agentFor("b"), b);
    assert.notEqual(pool.agentFor("a"), a);
  });
});
