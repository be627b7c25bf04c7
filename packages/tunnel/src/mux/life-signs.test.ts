import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import { LifeSigns } from "./life-signs.ts";

function start({ queuedBytes = () => 0 }: { readonly queuedBytes?: () => number } = {}) {
  const clock = new FakeClock();
  const pings: number[] = [];
  const dead: string[] = [];
  const signs = new LifeSigns({
    clock,
    intervalMs: 10_000,
    missesMax: 2,
    ping: (token) => pings.push(token),
    queuedBytes,
    dead: (reason) => dead.push(`${reason} after ${clock.monotonic()} ms`),
  });
  signs.start();
  return { clock, pings, dead, signs };
}

describe("LifeSigns", () => {
  it("finds a connection that is silent from the beginning after two intervals", async () => {
    const { clock, dead, pings } = start();

    await clock.advance(60_000);

    assert.deepEqual(dead, ["silent after 20000 ms"]);
    assert.deepEqual(pings, [1, 2]);
  });

  it("finds a connection that becomes silent within 30 s of the last byte", async () => {
    const { clock, dead, signs } = start();

    await clock.advance(10_001);
    signs.received();
    await clock.advance(60_000);

    assert.deepEqual(dead, ["silent after 40000 ms"]);
  });

  it("keeps a connection that sends anything in each second interval", async () => {
    const { clock, dead, signs } = start();

    for (let turn = 0; turn < 20; turn += 1) {
      await clock.advance(15_000);
      signs.received();
    }

    assert.deepEqual(dead, []);
    signs.stop();
  });

  it("finds a connection that receives and does not send for an interval", async () => {
    const { clock, dead, signs } = start({ queuedBytes: () => 100 });

    await clock.advance(9_000);
    signs.received();
    await clock.advance(1_000);

    assert.deepEqual(dead, ["stalled after 10000 ms"]);
  });

  it("keeps a connection with a queue that moves", async () => {
    const { clock, dead, signs } = start({ queuedBytes: () => 100 });

    for (let turn = 0; turn < 5; turn += 1) {
      await clock.advance(9_999);
      signs.received();
      signs.flushed();
      await clock.advance(1);
    }

    assert.deepEqual(dead, []);
    signs.stop();
  });

  it("finds a silent connection at once when it is verified, and keeps one that responds", async () => {
    const { clock, dead, pings, signs } = start({ queuedBytes: () => 100 });
    await clock.advance(3_000);

    signs.verify(1_000);
    assert.deepEqual(pings, [1, 2]);
    await clock.advance(500);
    signs.received();
    await clock.advance(500);
    assert.deepEqual(pings, [1, 2, 3]);
    assert.deepEqual(dead, []);
    signs.flushed();
    signs.verify(1_000);
    await clock.advance(1_000);

    assert.deepEqual(dead, ["silent after 5000 ms"]);
    signs.verify(1_000);
    await clock.advance(60_000);
    assert.equal(dead.length, 1);
  });

  it("measures the round trip of the last ping only", async () => {
    const { clock, signs } = start();

    signs.pong(7);
    assert.equal(signs.rttMs, undefined);
    await clock.advance(40);
    signs.pong(1);
    await clock.advance(1_000);
    signs.pong(1);

    assert.equal(signs.rttMs, 40);
    signs.stop();
  });
});
