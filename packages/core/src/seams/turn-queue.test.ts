import assert from "node:assert/strict";
import { it } from "node:test";
import { TurnQueue } from "./turn-queue.ts";

it("TurnQueue lets a due timer run between the callers", async () => {
  const turns = new TurnQueue();
  const order: string[] = [];
  const work = async (name: string): Promise<void> => {
    for (let piece = 0; piece < 20; piece += 1) {
      await turns.take();
      order.push(name);
    }
  };

  setTimeout(() => order.push("timer"), 0);
  const until = performance.now() + 5;
  while (performance.now() < until);
  await Promise.all([work("a"), work("b")]);

  assert.ok(order.indexOf("timer") <= 2, order.join(" "));
  assert.equal(order.length, 41);
});
