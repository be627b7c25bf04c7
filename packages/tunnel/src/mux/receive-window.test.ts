import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ReceiveWindow } from "./receive-window.ts";

describe("ReceiveWindow", () => {
  it("refuses the first byte above the window", () => {
    const window = new ReceiveWindow({ bytes: 100, now: 0 });

    assert.ok(window.receive(100));
    assert.ok(!window.receive(1));
  });

  it("is due for an update when half of it was consumed", () => {
    const window = new ReceiveWindow({ bytes: 100, now: 0 });

    assert.ok(!window.consume(49));
    assert.ok(window.consume(1));
    assert.equal(window.update({ now: 1000, rttMs: 10, bytesMax: 1000 }), 50);
  });

  it("doubles while it is consumed within two round trips, up to the maximum", () => {
    const window = new ReceiveWindow({ bytes: 100, now: 0 });
    const sizes: number[] = [];
    for (const now of [10, 20, 30, 40]) {
      window.receive(window.size / 2);
      window.consume(window.size / 2);
      window.update({ now, rttMs: 10, bytesMax: 500 });
      sizes.push(window.size);
    }

    assert.deepEqual(sizes, [200, 400, 500, 500]);
  });

  it("keeps its size when the destination is slower than two round trips, and without a measured round trip", () => {
    const window = new ReceiveWindow({ bytes: 100, now: 0 });

    window.consume(50);
    window.update({ now: 20, rttMs: 10, bytesMax: 500 });
    window.consume(50);
    window.update({ now: 21, rttMs: undefined, bytesMax: 500 });

    assert.equal(window.size, 100);
  });
});
