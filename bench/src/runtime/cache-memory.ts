// How much memory a cache takes: node --expose-gc --conditions=development bench/dist/runtime/cache-memory.js [objects]
//
// Prints what is settled after a sync and after a storm of changes, next to the bytes of the objects themselves.

import { SeededRandom, systemClock } from "@homeostat/core";
import { Cache, type Source } from "@homeostat/runtime";
import { newWidget, widget } from "./cache-sample.ts";

const count = Number(process.argv[2] ?? 50_000);
const changes = count;

/** The list, made as it is read, so that it takes no memory itself. */
function* list(): Generator<Buffer> {
  yield Buffer.from('{"items":[');
  for (let n = 0; n < count; n += 1) yield Buffer.from(`${n === 0 ? "" : ","}${JSON.stringify(newWidget(n))}`);
  yield Buffer.from('],"metadata":{"resourceVersion":"900000"}}');
}

/** So many changes of objects chosen by chance, and then silence. */
async function* events(signal: AbortSignal): AsyncGenerator<Buffer> {
  const random = new SeededRandom("changes");
  await until(() => isStorm);
  for (let n = 0; n < changes; n += 1) {
    const object = newWidget(random.int(count)) as { metadata: { resourceVersion: string }; spec: { note?: string } };
    object.metadata.resourceVersion = String(1_000_000 + n);
    object.spec.note = "x".repeat(random.int(400));
    yield Buffer.from(JSON.stringify({ type: "MODIFIED", object }));
  }
  isStorm = false;
  await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
}

let isStorm = false;

async function until(test: () => boolean): Promise<void> {
  while (!test()) await systemClock.sleep(5);
}

function settle(): NodeJS.MemoryUsage {
  for (let i = 0; i < 4; i += 1) globalThis.gc?.();
  return process.memoryUsage();
}

function report(what: string, before: NodeJS.MemoryUsage, bytes: number): void {
  const now = settle();
  const [heap, outside, rss] = (["heapUsed", "arrayBuffers", "rss"] as const).map((key) => now[key] - before[key]);
  const taken = (heap ?? 0) + (outside ?? 0);
  const limit = 1.3 * bytes + 200 * count;
  const mb = (value: number): string => `${(value / 1e6).toFixed(1)} MB`;
  console.log(
    `${what}: objects ${mb(bytes)}, taken ${mb(taken)} (heap ${mb(heap ?? 0)}, outside ${mb(outside ?? 0)}), resident ${mb(rss ?? 0)}; ` +
      `${(taken / bytes).toFixed(2)} of the bytes, ${((taken - bytes) / count).toFixed(0)} B over them per object; ` +
      `${taken <= limit ? "within" : "OVER"} 1.3 × bytes + 200 B per object`,
  );
}

const source: Source = { list: async () => pieces(), watch: async ({ signal }) => events(signal) };
async function* pieces(): AsyncGenerator<Uint8Array> {
  yield* list();
}

const empty = settle();
const cache = new Cache({ sources: () => source, clock: systemClock, random: new SeededRandom("memory") });
using widgets = cache.informer(widget);
const stop = new AbortController();
const running = cache.run(stop.signal);
await widgets.ready();
report(`after the sync of ${count} objects`, empty, widgets.bytes.objects);

isStorm = true;
await until(() => !isStorm && widgets.health.version === String(1_000_000 + changes - 1));
report(`after ${changes} changes`, empty, widgets.bytes.objects);
stop.abort(new Error("over"));
await running;
