import { describe, it } from "node:test";
import { dieEverywhere } from "../harness/crash-points.ts";

describe("the Tenant operator, dying at every request", () => {
  it("ends seven stories as if it had not, and starts nothing before the policy that denies everything", () =>
    dieEverywhere("operators/tenant", { stories: 7 }));
});
