import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { describe, it } from "node:test";
import { systemClock, systemRandom } from "@homeostat/core";
import { newWidget, widget } from "../testing/cache-bench.ts";
import { Cache } from "./cache.ts";
import type { Source } from "./source.ts";

const count = 100_000;
const latenessMsMax = 50;

/** A list of a hundred thousand objects in the chunks of a fast connection, all of them available at once. */
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

describe("a cache that loads a hundred thousand objects", () => {
  it("yields to the event loop: a timer of 10 ms is never late by more than 50 ms", async () => {
    const chunks = [...bigList()];
    const stop = new AbortController();
    const source: Source = {
      // All promises are already resolved: a loop that only awaits them would never yield.
      list: async () => arrived(chunks),
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

async function* arrived(chunks: readonly Buffer[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

/**
 * The worst lateness of a timer of 10 ms.
 *
 * Measured in CPU time of this thread, not in wall-clock time: on a busy machine other processes delay the timer as
 * much, which is not the cache's fault. A loop that never yields is late by both measures.
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

/** Returns the CPU time of this thread, or of the whole process where the system does not report it per thread. */
function threadMs(): number {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "latin1").split(" ")[0]) / 1e6;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
}
