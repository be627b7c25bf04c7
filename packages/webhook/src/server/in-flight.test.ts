import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { InFlight } from "./in-flight.ts";

const limits = { requestsMax: 3, requestsPerAddressMax: 2, bytesMax: 100, bytesPerAddressMax: 60 };

describe("InFlight", () => {
  it("limits started requests in total and per address", () => {
    const inFlight = new InFlight(limits);
    const [a1, a2, a3, b1, c1] = ["a", "a", "a", "b", "c"].map((address) => inFlight.open(address));

    assert.deepEqual(
      [a1, a2, a3, b1, c1].map((lease) => lease?.start()),
      [true, true, false, true, false],
    );
    a1?.[Symbol.dispose]();
    assert.equal(c1?.start(), true);
    assert.equal(inFlight.usage.requests, 3);
  });

  it("limits bytes in total and per address, and releases them once", () => {
    const inFlight = new InFlight(limits);
    const a = inFlight.open("a");
    const b = inFlight.open("b");

    assert.equal(a.reserve(60), true);
    assert.equal(a.reserve(1), false);
    assert.equal(b.reserve(41), false);
    assert.equal(b.reserve(40), true);
    a[Symbol.dispose]();
    a[Symbol.dispose]();
    assert.deepEqual(inFlight.usage, { requests: 0, bytes: 40 });
    assert.deepEqual([a.reserve(1), a.start()], [false, false], "an ended lease gives nothing");
    b[Symbol.dispose]();
    assert.deepEqual(inFlight.usage, { requests: 0, bytes: 0 });
  });
});
