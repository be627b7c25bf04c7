// Measures the memory of a cache, compared with a Map of parsed objects:
//
//   npm run build && node bench/dist/runtime/cache-memory.js [objects]
//
// Each is measured in its own process: settled memory after the list, and after as many changes as there are objects.

import { spawnSync } from "node:child_process";
import { nextTurn, SeededRandom, systemClock } from "@homeostat/core";
import { Cache } from "@homeostat/runtime";
import { listSource, newWidget, type Widget, widget } from "./cache-sample.ts";

const [countText = "50000", subject] = process.argv.slice(2);
const count = Number(countText);

/** Generates the list while it is read, so that it takes no memory itself. */
function* listPieces(): Generator<Buffer> {
  yield Buffer.from('{"items":[');
  for (let n = 0; n < count; n += 1) yield Buffer.from(`${n === 0 ? "" : ","}${JSON.stringify(newWidget(n))}`);
  yield Buffer.from('],"metadata":{"resourceVersion":"900000"}}');
}

/** Changes a random object to a different length. */
function* changes(): Generator<object> {
  const random = new SeededRandom("changes");
  for (let n = 0; n < count; n += 1) {
    const object = newWidget(random.int(count)) as { metadata: { resourceVersion: string }; spec: { note?: string } };
    object.metadata.resourceVersion = String(1_000_000 + n);
    object.spec.note = "x".repeat(random.int(400));
    yield object;
  }
}

function settledBytes(): number {
  for (let i = 0; i < 4; i += 1) globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Total memory in bytes. */
interface Taken {
  readonly afterList: number;
  readonly afterChanges: number;
  /** Size of the objects themselves after the list. */
  readonly objects: number;
}

async function measureCache(): Promise<Taken> {
  const before = settledBytes();
  const isStorm = deferred();
  const source = listSource(listPieces());
  const cache = new Cache({
    sources: () => ({
      ...source,
      watch: async ({ signal }) =>
        (async function* () {
          await isStorm.promise;
          for (const object of changes()) yield Buffer.from(JSON.stringify({ type: "MODIFIED", object }));
          signal.throwIfAborted();
          await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
        })(),
    }),
    clock: systemClock,
    random: new SeededRandom("memory"),
  });
  using widgets = cache.informer(widget);
  const stop = new AbortController();
  const running = cache.run(stop.signal);
  await widgets.ready();
  const afterList = settledBytes() - before;
  const { objects } = widgets.bytes;
  isStorm.resolve();
  while (widgets.health.version !== String(1_000_000 + count - 1)) await nextTurn();
  const afterChanges = settledBytes() - before;
  stop.abort(new Error("over"));
  await running;
  return { afterList, afterChanges, objects };
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

function measureMap(): Taken {
  const before = settledBytes();
  const objects = new Map<string, Widget>();
  const keep = (object: object): void => {
    const item = JSON.parse(JSON.stringify(object)) as Widget & { metadata: { managedFields?: unknown } };
    delete item.metadata.managedFields;
    objects.set(`${item.metadata.namespace}/${item.metadata.name}`, item);
  };
  for (let n = 0; n < count; n += 1) keep(newWidget(n));
  const afterList = settledBytes() - before;
  for (const object of changes()) keep(object);
  return { afterList, afterChanges: settledBytes() - before, objects: objects.size };
}

if (subject === "cache") console.log(JSON.stringify(await measureCache()));
else if (subject === "map") console.log(JSON.stringify(measureMap()));
else {
  const run = (name: string): Taken => {
    const { stdout } = spawnSync(
      process.execPath,
      [...process.execArgv, "--expose-gc", "--max-old-space-size=4096", import.meta.filename, countText, name],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    return JSON.parse(stdout.toString()) as Taken;
  };
  const cache = run("cache");
  const map = run("map");
  const perObject = (bytes: number): string => `${Math.round(bytes / count)} B`;
  console.log(`${count} objects of ${perObject(cache.objects)} each, without managedFields; memory per object`);
  for (const stage of ["afterList", "afterChanges"] as const) {
    const ratio = (map[stage] / cache[stage]).toFixed(2);
    const words = stage === "afterList" ? "after the list" : `after ${count} changes`;
    const limit = 1.3 * cache.objects + 200 * count;
    const verdict = cache[stage] <= limit ? "within" : "OVER";
    console.log(
      `  ${words}: Cache ${perObject(cache[stage])}, Map of parsed objects ${perObject(map[stage])}, ratio ${ratio}; ` +
        `${verdict} 1.3 × bytes + 200 B`,
    );
  }
}
