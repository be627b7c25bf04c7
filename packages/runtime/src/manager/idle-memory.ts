import type { Clock } from "@homeostat/core";

/** Resource usage of a process: Node's `process`. */
export interface UsageSource {
  cpuUsage(): { readonly user: number; readonly system: number };
  memoryUsage(): { readonly heapTotal: number; readonly heapUsed: number };
}

/** Options of {@link IdleMemory}. */
export interface IdleMemoryOptions {
  readonly clock: Clock;
  readonly source: UsageSource;
  /** Drops data that can be recomputed. Called before a collection. */
  readonly release?: () => void;
  /** Collects garbage and returns free memory to the system; undefined when the program was started without `--expose-gc`. */
  readonly collect: (() => void) | undefined;
  /** Share of one core up to which the program counts as idle. Default: 0.05, because periodic reconciles of a hundred objects or so take 1 to 4 %. */
  readonly restShare?: number | undefined;
  /** Time for which the program must have been idle, in milliseconds. Default: one period of 5 s. */
  readonly restMs?: number | undefined;
}

const periodMs = 5_000;
/**
 * Minimum time between collections. One takes tens of milliseconds, so not every small burst of work may cause one.
 *
 * It is shorter than the usual period of reconciles, a minute. With the same period, a collection that once came before the burst would always come
 * before it, and the garbage of each burst would stay until the next one.
 */
const betweenMs = 20_000;
const defaultRestShare = 0.05;
/**
 * Minimum growth of the heap since the last collection.
 *
 * Periodic reconciles of objects that do not change leave garbage: about 10 MB per minute with 51 clusters of the Chronik operator. Without further
 * bursts, V8 would keep it until the young generation is full.
 */
const growthBytesMin = 4e6;
/** Maximum used heap: above it, a collection takes long and the share of memory that it returns is small. */
const usedBytesMax = 200e6;

/**
 * Returns memory to the system when the program becomes idle after a burst of work.
 *
 * V8 grows the young generation while much is allocated, and shrinks it when allocation slows down, which it notices in a garbage collection. An
 * idle program has no collections and keeps all of it: after the first reconcile of ten thousand objects, more than twice the memory that it needs.
 * So this class detects the end of the burst and starts a collection.
 *
 * Such a collection also drops the hidden classes without a live object, and V8 then discards the optimized code that refers to them. A program in the path
 * of requests has many short-lived objects, so it should choose a lower `restShare` and a longer `restMs`.
 */
export class IdleMemory {
  readonly #clock: Clock;
  readonly #source: UsageSource;
  readonly #release: () => void;
  readonly #collect: (() => void) | undefined;
  readonly #restShare: number;
  readonly #restMs: number;
  /** Size of the heap after the last collection. */
  #floor = 0;
  #nextAt = -Infinity;

  constructor(options: IdleMemoryOptions) {
    const { clock, source, release = () => undefined, collect, restShare = defaultRestShare, restMs = 0 } = options;
    this.#clock = clock;
    this.#source = source;
    this.#release = release;
    this.#collect = collect;
    this.#restShare = restShare;
    this.#restMs = restMs;
  }

  /** Checks periodically until the signal aborts. Returns at once if collections are not available. */
  async run(signal: AbortSignal): Promise<void> {
    const collect = this.#collect;
    if (collect === undefined) return;
    let cpuMs = this.#cpuMs();
    let restedMs = 0;
    while (!signal.aborted) {
      const began = this.#clock.monotonic();
      await this.#clock.sleep(periodMs, signal).catch(() => undefined);
      if (signal.aborted) return;
      const usedMs = this.#cpuMs() - cpuMs;
      cpuMs += usedMs;
      const passedMs = this.#clock.monotonic() - began;
      restedMs = usedMs > passedMs * this.#restShare ? 0 : restedMs + passedMs;
      if (restedMs === 0 || restedMs < this.#restMs || !this.#isWorthwhile()) continue;
      this.#release();
      collect();
      this.#nextAt = this.#clock.monotonic() + betweenMs;
      this.#floor = this.#source.memoryUsage().heapTotal;
      cpuMs = this.#cpuMs();
    }
  }

  #cpuMs(): number {
    const { user, system } = this.#source.cpuUsage();
    return (user + system) / 1000;
  }

  #isWorthwhile(): boolean {
    if (this.#clock.monotonic() < this.#nextAt) return false;
    const { heapTotal, heapUsed } = this.#source.memoryUsage();
    // V8 may have returned memory by itself since; growth counts from the lower size.
    this.#floor = Math.min(this.#floor, heapTotal);
    return heapTotal - this.#floor >= growthBytesMin && heapUsed <= usedBytesMax;
  }
}

/** Returns a function that collects garbage, if the program was started with `--expose-gc`; undefined otherwise. */
export function exposedCollection(): (() => void) | undefined {
  const { gc } = globalThis;
  // The flavor "last-resort" makes V8 return free pages. Releases that do not support it perform a normal collection.
  return gc === undefined ? undefined : () => gc({ type: "major", execution: "sync", flavor: "last-resort" });
}
