// Measures the memory of a store, and whether 100 watchers keep up with 500 writes per second:
//
//   npm run build && node --expose-gc bench/dist/apiserver/storage-memory.js [objects]

import { nextTurn, systemClock } from "@homeostat/core";
import { startWatchers, filledStore, keyOf, resource } from "./storage-sample.ts";

const count = Number(process.argv[2] ?? 50_000);
const watchers = 100;
const writesPerSecond = 500;
const seconds = 4;

function settledBytes(): number {
  for (let i = 0; i < 4; i += 1) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;

const before = settledBytes();
const store = filledStore(count);
const filled = settledBytes() - before;
const objectBytes = store.get(keyOf(0))?.bytes.length ?? 0;
console.log(`${count} objects of ${objectBytes} bytes: ${megabytes(filled)}, ${Math.round(filled / count)} bytes each`);
for (let n = 0; n < count; n += 1) store.update(keyOf((n * 7919) % count), resource(n));
console.log(
  `after as many updates, with history: ${megabytes(settledBytes() - before)}; process ${megabytes(process.memoryUsage.rss())}`,
);

const { hub, seen } = startWatchers(store, watchers);
const cpuBefore = process.cpuUsage();
const start = systemClock.monotonic();
let worstLagMs = 0;
for (let tick = 0; tick < seconds * 100; tick += 1) {
  await systemClock.sleep(start + tick * 10 - systemClock.monotonic());
  for (let i = 0; i < writesPerSecond / 100; i += 1)
    store.update(keyOf((tick * 31 + i * 7919) % count), resource(tick));
  const wrote = systemClock.monotonic();
  while (seen() < (tick + 1) * (writesPerSecond / 100) * watchers) await nextTurn();
  worstLagMs = Math.max(worstLagMs, systemClock.monotonic() - wrote);
}
const { user, system } = process.cpuUsage(cpuBefore);
const share = ((user + system) / 10_000 / seconds).toFixed(0);
console.log(
  `${watchers} watchers at ${writesPerSecond} writes/s for ${seconds} s: ${seen()} events, worst lag ${worstLagMs.toFixed(1)} ms, ${share} % of a core, ${hub.size} still watching`,
);
hub[Symbol.dispose]();
