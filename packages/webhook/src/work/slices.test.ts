import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, nextTurn } from "@homeostat/core";
import { runAtOnce, SliceScheduler, type Steps } from "./slices.ts";

/** A clock that advances by one millisecond with each reading, as if every step took that long. */
class CountingClock extends FakeClock {
  #readings = 0;

  override monotonic(): number {
    this.#readings += 1;
    return this.#readings;
  }
}

function* count(steps: number, seen: string[] = [], name = ""): Steps<string> {
  for (let step = 0; step < steps; step += 1) {
    seen.push(name);
    yield;
  }
  return name;
}

const never = new AbortController().signal;

describe("SliceScheduler", () => {
  it("yields to the event loop after every slice", async () => {
    let turns = 0;
    const turn = (): Promise<void> => ((turns += 1), nextTurn());
    const slices = new SliceScheduler({ clock: new CountingClock(), sliceMs: 10, turn });

    assert.equal(await slices.run(count(1_000, [], "done"), never), "done");

    assert.equal(turns, 101, "1,000 steps of one millisecond in slices of ten, and one that ends");
  });

  it("runs one slice per turn and alternates between requests", async () => {
    const seen: string[] = [];
    let turns = 0;
    const turn = async (): Promise<void> => {
      await nextTurn();
      turns += 1;
      seen.push("|");
    };
    const slices = new SliceScheduler({ clock: new CountingClock(), sliceMs: 2, turn });

    await Promise.all(["a", "b", "c"].map((name) => slices.run(count(3, seen, name), never)));

    assert.equal(seen.join(""), "|aa|bb|cc|a|b|c");
    assert.equal(turns, 6);
  });

  it("stops between two slices when the signal aborts", async () => {
    const stop = new AbortController();
    const seen: string[] = [];
    const turn = async (): Promise<void> => {
      if (seen.length >= 4) stop.abort(new Error("over"));
      await nextTurn();
    };
    const slices = new SliceScheduler({ clock: new CountingClock(), sliceMs: 2, turn });

    await assert.rejects(slices.run(count(1_000, seen), stop.signal), /over/);

    assert.equal(seen.length, 4);
  });

  it("rejects with the error of a step and continues other work", async () => {
    const slices = new SliceScheduler({ clock: new CountingClock() });
    // oxlint-disable-next-line require-yield -- the first step fails
    const broken = function* (): Steps<never> {
      throw new Error("broken");
    };

    const [first, second] = await Promise.allSettled([slices.run(broken(), never), slices.run(count(5), never)]);

    assert.equal(first.status, "rejected");
    assert.equal(second.status, "fulfilled");
  });
});

describe("runAtOnce", () => {
  it("returns the result of the last step", () => {
    assert.equal(runAtOnce(count(3, [], "done")), "done");
  });
});
