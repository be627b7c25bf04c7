import { SteadyMap } from "../performance/steady-map.ts";

/** Limits of a {@link Memo}. */
export interface MemoLimits {
  /** Number of values. Default 1,000. */
  readonly countMax?: number;
  /** Total size of the source text of all values. Default 4 MiB. */
  readonly bytesMax?: number;
}

/** Share of the limits that is used for values read once. */
const recentShare = 1 / 8;

/**
 * A scan-resistant cache of parsed objects by slot, after the 2Q algorithm (Johnson and Shasha, 1994): a small FIFO of
 * values read once, an LRU of values read repeatedly, and a record of recently evicted slots. A value that is read
 * again soon after its eviction enters the LRU.
 *
 * A scan over everything, as when a controller reconciles every object after its start, reads every object once. It
 * passes through the small FIFO, where each object lives so shortly that it is garbage before the collector has
 * promoted it to the old generation, and does not evict what is read often.
 */
export class Memo<T> {
  readonly #countMax: number;
  readonly #bytesMax: number;
  readonly #recent: Segment<T>;
  readonly #frequent: Segment<T>;
  /** By slot, the value of `#evictions` when its value was evicted; 0 if never. */
  #evictedAt: Uint32Array = new Uint32Array(16);
  #evictions = 0;

  constructor({ countMax = 1000, bytesMax = 4 * 1024 * 1024 }: MemoLimits = {}) {
    this.#countMax = countMax;
    this.#bytesMax = bytesMax;
    const recentMax = Math.ceil(countMax * recentShare);
    this.#recent = new Segment(recentMax, bytesMax * recentShare);
    this.#frequent = new Segment(countMax - recentMax, bytesMax * (1 - recentShare));
  }

  /** Number of values that fit, unless the size limit is reached first. */
  get countMax(): number {
    return this.#countMax;
  }

  get(slot: number): T | undefined {
    return this.#frequent.use(slot) ?? this.#recent.peek(slot);
  }

  /** Returns the value without counting the read as a use. */
  peek(slot: number): T | undefined {
    return this.#frequent.peek(slot) ?? this.#recent.peek(slot);
  }

  set(slot: number, value: T, bytes: number): void {
    this.delete(slot);
    if (bytes > this.#bytesMax * recentShare || this.#countMax === 0) return;
    const segment = this.#wasEvictedRecently(slot) ? this.#frequent : this.#recent;
    segment.set(slot, { value, bytes });
    for (let evicted = segment.nextToEvict(); evicted >= 0; evicted = segment.nextToEvict()) {
      segment.delete(evicted);
      this.#noteEviction(evicted);
    }
  }

  /** Drops a value because the object changed. One that was read often enters the LRU again with its next read. */
  delete(slot: number): void {
    if (this.#frequent.delete(slot)) this.#noteEviction(slot);
    else this.#recent.delete(slot);
  }

  /** Drops all values. Those that were read often enter the LRU again with their next read. */
  clear(): void {
    for (const slot of this.#frequent.clear()) this.#noteEviction(slot);
    this.#recent.clear();
  }

  /** Reports whether the value of a slot was evicted recently. */
  #wasEvictedRecently(slot: number): boolean {
    const at = this.#evictedAt[slot] ?? 0;
    return this.#countMax > 1 && at > 0 && this.#evictions - at < this.#countMax;
  }

  #noteEviction(slot: number): void {
    // Wraps around like the array elements. After a wrap a few values are misclassified, which is harmless.
    this.#evictions = (this.#evictions + 1) >>> 0;
    if (slot >= this.#evictedAt.length) {
      const grown = new Uint32Array(Math.max(slot + 1, Math.ceil(this.#evictedAt.length * 1.5)));
      grown.set(this.#evictedAt);
      this.#evictedAt = grown;
    }
    this.#evictedAt[slot] = this.#evictions;
  }
}

interface Entry<T> {
  readonly value: T;
  readonly bytes: number;
}

/** Values in the order of their eviction, with a limit on number and size. */
class Segment<T> {
  readonly #countMax: number;
  readonly #bytesMax: number;
  #entries = new SteadyMap<number, Entry<T>>();
  #bytes = 0;

  constructor(countMax: number, bytesMax: number) {
    this.#countMax = countMax;
    this.#bytesMax = bytesMax;
  }

  peek(slot: number): T | undefined {
    return this.#entries.get(slot)?.value;
  }

  /** Returns the value and moves it to the end of the eviction order. */
  use(slot: number): T | undefined {
    return this.#entries.moveToEnd(slot)?.value;
  }

  set(slot: number, entry: Entry<T>): void {
    this.#entries.set(slot, entry);
    this.#bytes += entry.bytes;
  }

  delete(slot: number): boolean {
    const entry = this.#entries.delete(slot);
    if (entry === undefined) return false;
    this.#bytes -= entry.bytes;
    return true;
  }

  /** Drops all values and returns their slots. */
  clear(): readonly number[] {
    const slots: number[] = [];
    for (let slot = this.#entries.firstKey; slot !== undefined; slot = this.#entries.firstKey) {
      slots.push(slot);
      this.delete(slot);
    }
    // A map does not shrink when it is emptied.
    this.#entries = new SteadyMap();
    return slots;
  }

  /** Returns the slot to evict next; -1 if the limits are respected. The newest value stays, however large it is. */
  nextToEvict(): number {
    const { size } = this.#entries;
    if ((size <= this.#countMax && this.#bytes <= this.#bytesMax) || size <= 1) return -1;
    return this.#entries.firstKey ?? -1;
  }
}
