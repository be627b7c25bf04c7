import { describe, it } from "node:test";
import { dieEverywhere } from "../harness/crash-points.ts";

describe("the Locust operator, dying at every request", () => {
  it("ends six stories as if it had not, and runs no load twice", () =>
    dieEverywhere("operators/locust", { stories: 8 }));
});
