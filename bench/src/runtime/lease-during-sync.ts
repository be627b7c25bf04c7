// Checks whether filling a cache delays the renewal of a lease: node bench/dist/runtime/lease-during-sync.js [objects]
//
// Leader election with a short lease runs while a cache reads a list of that many objects. The whole list and all responses about
// the lease are available immediately, faster than from any real server, so that the only delay of a renewal is the event loop.
// Fails when a renewal is late by more than a tenth of the delay that would lose the lease.

import { nextTurn, SeededRandom, systemClock } from "@homeostat/core";
import { Cache, elect, type LeaseStore } from "@homeostat/runtime";
import { listSource, newWidget, widget } from "./cache-sample.ts";

type Lease = Awaited<ReturnType<LeaseStore["create"]>>;

const count = Number(process.argv[2] ?? 100_000);
const retryPeriodMs = 100;
const renewDeadlineMs = 1500;
/** Size of a chunk. */
const pieceBytes = 64 * 1024;

/** Returns the list in chunks as large as those that a busy socket delivers. */
function makePieces(): Buffer[] {
  const pieces: Buffer[] = [];
  let text = '{"items":[';
  for (let n = 0; n < count; n += 1) {
    text += `${n === 0 ? "" : ","}${JSON.stringify(newWidget(n))}`;
    if (text.length < pieceBytes) continue;
    pieces.push(Buffer.from(text));
    text = "";
  }
  pieces.push(Buffer.from(`${text}],"metadata":{"resourceVersion":"900000"}}`));
  return pieces;
}

/** Returns a lease store that responds immediately and records the times of writes. */
function noteStore(renewedAt: number[]): LeaseStore {
  let stored: Lease | undefined;
  const keep = async (lease: Lease): Promise<Lease> => {
    await nextTurn();
    renewedAt.push(performance.now());
    const version = String(Number(stored?.metadata?.resourceVersion ?? "0") + 1);
    stored = { ...lease, metadata: { ...lease.metadata, uid: "1", resourceVersion: version } };
    return stored;
  };
  return {
    get: async () => stored,
    create: keep,
    update: keep,
  };
}

/** Returns the longest time between two renewals, and their number. */
function longest(
  times: readonly number[],
  from: number,
  to: number,
): { readonly gapMs: number; readonly renewals: number } {
  const inside = times.filter((at) => at >= from && at <= to);
  const all = [from, ...inside, to];
  return { gapMs: Math.max(...all.slice(1).map((at, i) => at - (all[i] ?? at))), renewals: inside.length };
}

const renewedAt: number[] = [];
const stop = new AbortController();
const election = elect({
  store: noteStore(renewedAt),
  name: "bench",
  namespace: "default",
  identity: "me",
  clock: systemClock,
  random: new SeededRandom("lease"),
  leaseDurationMs: 2000,
  renewDeadlineMs,
  retryPeriodMs,
  trustMissing: true,
  lead: async ({ signal }) => {
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  },
});
const pieces = makePieces();
const electing = election.run(stop.signal);
await systemClock.sleep(1000);
const before = longest(renewedAt, performance.now() - 800, performance.now());

const cache = new Cache({
  sources: () => listSource(pieces),
  clock: systemClock,
  random: new SeededRandom("cache"),
});
const widgets = cache.informer(widget);
const began = performance.now();
const caching = cache.run(stop.signal);
await widgets.ready();
const ended = performance.now();
const during = longest(renewedAt, began, ended);
const isLeading = election.state.at === "leading";
stop.abort(new Error("over"));
await Promise.allSettled([electing, caching]);

const lateMs = during.gapMs - before.gapMs;
const passed = isLeading && widgets.size === count && lateMs < renewDeadlineMs / 10;
console.log(
  `${widgets.size} objects in ${(ended - began).toFixed(0)} ms, with ${during.renewals} renewals meanwhile, about one every ${retryPeriodMs} ms: ` +
    `${during.gapMs.toFixed(0)} ms apart at most, ${before.gapMs.toFixed(0)} ms before; ${isLeading ? "still" : "NOT"} leading; ${passed ? "within" : "OVER"} ${renewDeadlineMs / 10} ms of delay`,
);
process.exitCode = passed ? 0 : 1;
