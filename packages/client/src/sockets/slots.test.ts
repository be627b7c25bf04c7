import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Slots } from "./slots.ts";

describe("Slots", () => {
  it("grants the free slots at once, and the others in FIFO order", async () => {
    const slots = new Slots(2);
    const order: number[] = [];
    const held = await Promise.all([slots.take(), slots.take()]);

    const waiting = [1, 2, 3].map(async (n) => {
      const release = await slots.take();
      order.push(n);
      release();
    });
    assert.equal(slots.waiting, 3);
    for (const release of held) release();
    await Promise.all(waiting);

    assert.deepEqual(order, [1, 2, 3]);
    assert.equal(slots.waiting, 0);
  });

  it("releases a slot once, even if release is called twice", async () => {
    const slots = new Slots(1);
    const release = await slots.take();

    release();
    release();
    await slots.take();
    void slots.take();

    assert.equal(slots.waiting, 1);
  });

  it("skips waiting requests that were aborted", async () => {
    const slots = new Slots(1);
    const release = await slots.take();
    const impatient = new AbortController();

    const waiting = slots.take(impatient.signal);
    const patient = slots.take();
    impatient.abort(new Error("enough"));
    await assert.rejects(waiting, /enough/);
    release();

    await patient;
    assert.equal(slots.waiting, 0);
    await assert.rejects(slots.take(AbortSignal.abort(new Error("late"))), /late/);
  });
});
