import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { once } from "./once.ts";

describe("once", () => {
  it("makes nothing until it is asked, and then the same for everybody", () => {
    let count = 0;
    const table = once(() => ({ number: (count += 1) }));
    assert.equal(count, 0);

    const first = table();

    assert.equal(table(), first);
    assert.equal(count, 1);
  });
});
