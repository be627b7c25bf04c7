import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { describe, it } from "node:test";
import { systemClock, systemRandom } from "@homeostat/core";
import { newWidget, widget } from "./bench.fixture.test.ts";
import { Cache } from "./cache.ts";
import type { Source } from "./source.ts";

const count = 100_000;
const latenessMsMax = 50;

/** A list of a hundred thousand objects, in the pieces in which a fast connection would bring them: all there at once. */
function* bigList(): Generator<Buffer> {
  const objects = Array.from({ length: 1000 }, (_, i) => {
    const object = newWidget(`widget-NNNNN-${i}`, { version: 5 });
    return JSON.stringify({ ...object, spec: { size: i, text: "lorem ipsum ".repeat(50) } });
  });
  yield Buffer.from('{"items":[');
  for (let page = 0; page < count / objects.length; page += 1) {
    const text = objects.map((object) => object.replace("NNNNN", String(page))).join(",");
    const bytes = Buffer.from(page === 0 ? text : `,${text}`);
    for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
  }
  yield Buffer.from('],"metadata":{"resourceVersion":"9"}}');
}

describe("a cache that takes in a hundred thousand objects", () => {
  it("lets everybody else have their turn: a timer of 10 ms is never late by more than 50", async () => {
    const pieces = [...bigList()];
    const stop = new AbortController();
    const source: Source = {
      // Nothing to wait for: whoever only awaits would never let go.
      list: async () => arrived(pieces),
      watch: ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    };
    const cache = new Cache({ sources: () => source, clock: systemClock, random: systemRandom });
    using widgets = cache.informer(widget).index("size", ({ spec }) => String(spec.size % 10));
    let events = 0;
    using subscription = widgets.subscribe(() => (events += 1));
    const lateness = new Lateness();

    const running = cache.run(stop.signal);
    await widgets.ready();
    using late = widgets.subscribe(() => (events += 1));
    await late.replayed;
    const worst = lateness.stop();

    assert.equal(widgets.size, count);
    assert.equal(events, 2 * count);
    assert.ok(subscription !== late);
    assert.ok(worst < latenessMsMax, `a timer was late by ${worst.toFixed(0)} ms of processor time`);
    stop.abort(new Error("over"));
    await running;
  });
});

async function* arrived(pieces: readonly Buffer[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

/**
 * How late a timer of 10 ms comes, at worst.
 *
 * By the time that this thread was on the processor, not by that of the wall: on a busy machine others have it for as long,
 * and that is no fault of ours. A loop that never lets go is as late by either.
 */
class Lateness {
  #worst = 0;
  #isStopped = false;
  #wall = performance.now();
  #cpu = threadMs();
  #timer: NodeJS.Timeout;

  constructor() {
    this.#timer = setTimeout(() => this.#tick(), 10);
  }

  stop(): number {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    return this.#worst;
  }

  #tick(): void {
    this.#worst = Math.max(this.#worst, Math.min(performance.now() - this.#wall, threadMs() - this.#cpu) - 10);
    if (this.#isStopped) return;
    this.#wall = performance.now();
    this.#cpu = threadMs();
    this.#timer = setTimeout(() => this.#tick(), 10);
  }
}

/** How long this thread has been on a processor; where the system does not tell, how long all of the process has. */
function threadMs(): number {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "latin1").split(" ")[0]) / 1e6;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
}
