import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { within } from "./within.ts";

describe("within", () => {
  it("returns the result of a promise that settles in time", async () => {
    assert.equal(await within(60_000, "a transfer", Promise.resolve(7)), 7);
  });

  it("rejects with the name of what did not end in time", async () => {
    await assert.rejects(within(1, "a transfer", new Promise(() => undefined)), {
      message: "a transfer took longer than 0.001 s",
    });
  });

  it("passes on the error of the promise", async () => {
    await assert.rejects(within(60_000, "a transfer", Promise.reject(new Error("broken"))), { message: "broken" });
  });
});
