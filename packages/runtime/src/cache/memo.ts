import { SteadyMap } from "../internal/steady-map.ts";

/** How much a {@link Memo} may hold. */
export interface MemoLimits {
  /** How many values. Default 1,000. */
  readonly countMax?: number;
  /** How many bytes of source text all of them together. Default 4 MiB. */
  readonly bytesMax?: number;
}

/** Of all the room, the part for what was read once. */
const recentShare = 1 / 8;

/**
 * Values by slot: the few that were read last, and those that are read again and again; the others are forgotten.
 *
 * A walk over everything, as when a controller runs for each object for the first time, reads every object once. It passes
 * through the small room of those read last, where each lives for so short a time that it is garbage before the
 * collector has copied it to the old generation, and does not push out what is read often. A value that is wanted
 * again soon after it was forgotten is one of those.
 */
export class Memo<T> {
  readonly #countMax: number;
  readonly #bytesMax: number;
  readonly #recent: Room<T>;
  readonly #often: Room<T>;
  /** By slot, how many values had been forgotten, with this one, when it was. */
  #forgottenAt: Uint32Array = new Uint32Array(16);
  #forgotten = 0;

  constructor({ countMax = 1000, bytesMax = 4 * 1024 * 1024 }: MemoLimits = {}) {
    this.#countMax = countMax;
    this.#bytesMax = bytesMax;
    const recentMax = Math.ceil(countMax * recentShare);
    this.#recent = new Room(recentMax, bytesMax * recentShare);
    this.#often = new Room(countMax - recentMax, bytesMax * (1 - recentShare));
  }

  /** How many values fit, if they are not too long. */
  get countMax(): number {
    return this.#countMax;
  }

  get(slot: number): T | undefined {
    return this.#often.use(slot) ?? this.#recent.peek(slot);
  }

  /** The value without counting this as a use of it. */
  peek(slot: number): T | undefined {
    return this.#often.peek(slot) ?? this.#recent.peek(slot);
  }

  set(slot: number, value: T, bytes: number): void {
    this.delete(slot);
    if (bytes > this.#bytesMax * recentShare || this.#countMax === 0) return;
    const room = this.#isBack(slot) ? this.#often : this.#recent;
    room.set(slot, { value, bytes });
    for (let left = room.leaving(); left >= 0; left = room.leaving()) {
      room.delete(left);
      this.#noteForgotten(left);
    }
  }

  /** Forgets a value because it holds no longer. What was read often will be so in its new form. */
  delete(slot: number): void {
    if (this.#often.delete(slot)) this.#noteForgotten(slot);
    else this.#recent.delete(slot);
  }

  /** Drops all values. Those that were read often are kept again from their next read on. */
  clear(): void {
    for (const slot of this.#often.clear()) this.#noteForgotten(slot);
    this.#recent.clear();
  }

  /** Whether the value of a slot was forgotten, and not long ago. */
  #isBack(slot: number): boolean {
    const at = this.#forgottenAt[slot] ?? 0;
    return this.#countMax > 1 && at > 0 && this.#forgotten - at < this.#countMax;
  }

  #noteForgotten(slot: number): void {
    // As the array counts. When it begins anew, a few values are taken for new, or for known.
    this.#forgotten = (this.#forgotten + 1) >>> 0;
    if (slot >= this.#forgottenAt.length) {
      const grown = new Uint32Array(Math.max(slot + 1, Math.ceil(this.#forgottenAt.length * 1.5)));
      grown.set(this.#forgottenAt);
      this.#forgottenAt = grown;
    }
    this.#forgottenAt[slot] = this.#forgotten;
  }
}

interface Entry<T> {
  readonly value: T;
  readonly bytes: number;
}

/** Values in the order in which they leave. */
class Room<T> {
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

  /** The value, which with this is the last to leave. */
  use(slot: number): T | undefined {
    return this.#entries.renew(slot)?.value;
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
    // A map that once was large keeps its room.
    this.#entries = new SteadyMap();
    return slots;
  }

  /** The slot that has to leave next; -1 when all have room. The newest stays, however long it is. */
  leaving(): number {
    const { size } = this.#entries;
    if ((size <= this.#countMax && this.#bytes <= this.#bytesMax) || size <= 1) return -1;
    return this.#entries.firstKey ?? -1;
  }
}
