import assert from "node:assert/strict";
import { it } from "node:test";
import { nextTurn } from "./turn.ts";

it("nextTurn lets a due timer run, unlike awaiting a promise", async () => {
  const timer = { hasRun: false };
  setTimeout(() => (timer.hasRun = true), 0);
  const until = performance.now() + 5;
  while (performance.now() < until);

  for (let i = 0; i < 1000; i += 1) await Promise.resolve();
  const afterPromises = timer.hasRun;
  for (let i = 0; i < 3 && !timer.hasRun; i += 1) await nextTurn();

  assert.equal(afterPromises, false);
  assert.equal(timer.hasRun, true);
});
