// Whether filling a cache delays the renewal of a lease: node bench/dist/runtime/lease-beside-sync.js [objects]
//
// An election with a short lease runs beside a cache that reads a list of so many objects. The list is there at once, which
// no server manages, and so is every answer about the lease: what is left is how long the event loop keeps a renewal
// waiting. Fails when one was later than a tenth of what would cost the lease.

import { nextTurn, SeededRandom, systemClock } from "@homeostat/core";
import { Cache, elect, type LeaseStore } from "@homeostat/runtime";
import { listSource, newWidget, widget } from "./cache-sample.ts";

type Lease = Awaited<ReturnType<LeaseStore["create"]>>;

const count = Number(process.argv[2] ?? 100_000);
const retryPeriodMs = 100;
const renewDeadlineMs = 1500;
/** As much as is looked at in one piece. */
const pieceBytes = 64 * 1024;

/** Pieces as large as those that a socket brings when there is much to read. */
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

/** A store that answers at once and notes when it was written to. */
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

/** The longest time between two renewals, and how many there were. */
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
const isFine = isLeading && widgets.size === count && lateMs < renewDeadlineMs / 10;
console.log(
  `${widgets.size} objects in ${(ended - began).toFixed(0)} ms, with ${during.renewals} renewals meanwhile, one every ${retryPeriodMs} ms or so: ` +
    `${during.gapMs.toFixed(0)} ms apart at most, ${before.gapMs.toFixed(0)} ms before; ${isLeading ? "still" : "NOT"} leading; ${isFine ? "within" : "OVER"} ${renewDeadlineMs / 10} ms of lateness`,
);
process.exitCode = isFine ? 0 : 1;
