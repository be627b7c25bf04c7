import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { InFlight } from "./in-flight.ts";

const limits = { requestsMax: 3, requestsPerAddressMax: 2, bytesMax: 100, bytesPerAddressMax: 60 };

describe("InFlight", () => {
  it("limits requests in total and for each address", () => {
    const inFlight = new InFlight(limits);
    const first = inFlight.begin("a");
    inFlight.begin("a");

    assert.equal(inFlight.begin("a"), undefined);
    assert.notEqual(inFlight.begin("b"), undefined);
    assert.equal(inFlight.begin("c"), undefined);
    first?.[Symbol.dispose]();
    assert.notEqual(inFlight.begin("c"), undefined);
  });

  it("limits bytes in total and for each address, and returns them once", () => {
    const inFlight = new InFlight(limits);
    const a = inFlight.begin("a");
    const b = inFlight.begin("b");

    assert.equal(a?.reserve(60), true);
    assert.equal(a?.reserve(1), false);
    assert.equal(b?.reserve(41), false);
    assert.equal(b?.reserve(40), true);
    a?.[Symbol.dispose]();
    a?.[Symbol.dispose]();
    assert.deepEqual(inFlight.usage, { requests: 1, bytes: 40 });
    assert.equal(a?.reserve(1), false, "after its end");
    b?.[Symbol.dispose]();
    assert.deepEqual(inFlight.usage, { requests: 0, bytes: 0 });
  });
});
