import type { Clock } from "@homeostat/core";

/** What a process tells of its own use: Node's `process` does. */
export interface UsageSource {
  cpuUsage(): { readonly user: number; readonly system: number };
  memoryUsage(): { readonly heapTotal: number; readonly heapUsed: number };
}

/** What {@link IdleMemory} is made of. */
export interface IdleMemoryOptions {
  readonly clock: Clock;
  readonly source: UsageSource;
  /** Drops what the program can make again: called before a collection. */
  readonly release?: () => void;
  /** Collects garbage and gives back what is free; undefined where the program may not ask for that. */
  readonly collect: (() => void) | undefined;
}

const periodMs = 5_000;
/** A collection takes tens of milliseconds, so a program with a small burst every few seconds is not to have one each time. */
const betweenMs = 60_000;
/** Up to this share of one core, the program is at rest. */
const restShare = 0.02;
/** So much more must have been taken than after the last collection for another one. */
const growthBytesMin = 16e6;
/** With more than this in use a collection takes long, and the share that could be given back is small. */
const usedBytesMax = 200e6;

/**
 * Gives memory back once the program has come to rest after a burst of work.
 *
 * V8 takes a large young generation while much is allocated, and gives it back when allocation slows down, which it finds
 * out by its collections. A program that has come to rest has none, and keeps it all: after a first run for each of ten
 * thousand objects, more than twice what it needs. So the end of work is looked for here.
 */
export class IdleMemory {
  readonly #clock: Clock;
  readonly #source: UsageSource;
  readonly #release: () => void;
  readonly #collect: (() => void) | undefined;
  /** What the heap took after the last collection. */
  #floor = 0;
  #nextAt = -Infinity;

  constructor({ clock, source, release = () => undefined, collect }: IdleMemoryOptions) {
    this.#clock = clock;
    this.#source = source;
    this.#release = release;
    this.#collect = collect;
  }

  /** Looks now and then until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const collect = this.#collect;
    if (collect === undefined) return;
    let cpuMs = this.#cpuMs();
    while (!signal.aborted) {
      const began = this.#clock.monotonic();
      await this.#clock.sleep(periodMs, signal).catch(() => undefined);
      if (signal.aborted) return;
      const usedMs = this.#cpuMs() - cpuMs;
      cpuMs += usedMs;
      if (usedMs > (this.#clock.monotonic() - began) * restShare || !this.#isWorthwhile()) continue;
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
    // What was given back since is not there to be given back again.
    this.#floor = Math.min(this.#floor, heapTotal);
    return heapTotal - this.#floor >= growthBytesMin && heapUsed <= usedBytesMax;
  }
}

/** The collection of a program that was started with `--expose-gc`; undefined for others. */
export function exposedCollection(): (() => void) | undefined {
  const { gc } = globalThis;
  // "Last resort" is what makes V8 give free pages back; releases that do not know the word collect as usual.
  return gc === undefined ? undefined : () => gc({ type: "major", execution: "sync", flavor: "last-resort" });
}
