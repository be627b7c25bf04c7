import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { mayTake } from "./client-share.ts";

/** Lets clients take places in turns until none of them gets another one. Returns the places of each. */
function fill(clients: number, max: number): readonly number[] {
  const owns = Array.from({ length: clients }, () => 0);
  const sum = (): number => owns.reduce((total, own) => total + own, 0);
  for (let isChanged = true; isChanged;) {
    isChanged = false;
    for (const [index, own] of owns.entries()) {
      if (!mayTake({ own, all: sum(), max })) continue;
      owns[index] = own + 1;
      isChanged = true;
    }
  }
  return owns;
}

describe("mayTake", () => {
  it("leaves as many places free as one of the greedy clients has", () => {
    for (const clients of [1, 2, 3, 16, 100]) {
      const owns = fill(clients, 1_024);
      const free = 1_024 - owns.reduce((total, own) => total + own, 0);
      const part = 1_024 / (clients + 1);

      assert.ok(Math.abs(free - part) <= clients, `${clients} clients leave ${free}`);
      assert.ok(
        owns.every((own) => Math.abs(own - part) <= clients),
        owns.join(),
      );
    }
  });

  it("gives every free place to clients with one request at a time", () => {
    assert.equal(mayTake({ own: 0, all: 1_023, max: 1_024 }), true);
    assert.equal(mayTake({ own: 0, all: 1_024, max: 1_024 }), false);
  });
});
