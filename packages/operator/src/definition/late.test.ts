import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Late } from "./late.ts";

describe("Late", () => {
  it("says that the operator does not run until it has what was asked for", () => {
    const client = new Late<{ name: string }>("client");

    assert.throws(() => client.get(), {
      code: "NOT_RUNNING",
      message: /there is no client\. Run it, and ask again\.$/,
    });
    client.set({ name: "first" });
    client.set({ name: "of another manager" });

    assert.equal(client.get().name, "of another manager");
  });
});
