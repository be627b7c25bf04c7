/** A piece of memory outside the JavaScript heap. Entries are only ever added behind the last one. */
interface Slab {
  readonly bytes: Buffer;
  /** The same memory as numbers, for the heads of entries. */
  readonly words: Uint32Array;
  used: number;
  /** How much of `used` belongs to entries that are still current. */
  live: number;
}

/** Where to find the bytes of an entry: from `start` to `cutStart`, and from `cutEnd` to `end`. */
export interface Cut {
  readonly start: number;
  readonly cutStart: number;
  readonly cutEnd: number;
  readonly end: number;
}

/** Options of {@link Slabs}. */
export interface SlabsOptions {
  /** The size of the largest slabs. Default 1 MiB. An entry of more than a quarter of that has a slab of its own. */
  readonly slabBytesMax?: number;
}

/** An entry begins with its slot and its length, four bytes each, and at a multiple of four. */
const headBytes = 8;
const slabBytesMin = 16 * 1024;
/** Of what is used, this much may be dead before it is cleaned up. */
const deadShareMax = 0.12;
const none = 0xffff_ffff;

/**
 * Bytes by slot, a small number that the caller chooses, kept in slabs outside the JavaScript heap.
 *
 * Nothing is overwritten in place: a slot that is written again gets new room, and its old bytes stay as they are until
 * {@link Slabs.tidy} is called. That copies what is current out of the slab with most dead bytes, a slab at a time, so
 * memory stays in proportion to what is current, however often it changes, and no call takes long.
 */
export class Slabs {
  readonly #slabBytesMax: number;
  readonly #slabs: (Slab | undefined)[] = [];
  readonly #free: number[] = [];
  #slabOf: Uint32Array = new Uint32Array(16).fill(none);
  #offsetOf: Uint32Array = new Uint32Array(16);
  #current = -1;
  #spare: Slab | undefined;
  #used = 0;
  #live = 0;
  #held = 0;
  #payload = 0;

  constructor({ slabBytesMax = 1024 * 1024 }: SlabsOptions = {}) {
    this.#slabBytesMax = Math.max(slabBytesMin, slabBytesMax);
  }

  /** The bytes of all current entries, without what it takes to keep them. */
  get liveBytes(): number {
    return this.#payload;
  }

  /** The memory that is taken, used or not. */
  get heldBytes(): number {
    return this.#held + (this.#spare?.bytes.length ?? 0);
  }

  /** Copies bytes in as the entry of a slot, in place of the one it had. */
  put(slot: number, source: Buffer, { start, cutStart, cutEnd, end }: Cut): void {
    const length = cutStart - start + (end - cutEnd);
    const total = aligned(length);
    this.remove(slot);
    const id = this.#room(total);
    const slab = this.#slabs[id];
    if (slab === undefined) return;
    const offset = slab.used;
    slab.words[offset >>> 2] = slot;
    slab.words[(offset >>> 2) + 1] = length;
    source.copy(slab.bytes, offset + headBytes, start, cutStart);
    if (end > cutEnd) source.copy(slab.bytes, offset + headBytes + cutStart - start, cutEnd, end);
    this.#place(slot, id, offset);
    slab.used += total;
    slab.live += total;
    this.#used += total;
    this.#live += total;
    this.#payload += length;
  }

  /** Gives up the entry of a slot, if it has one. */
  remove(slot: number): void {
    const id = this.#slabOf[slot] ?? none;
    if (id === none) return;
    const slab = this.#slabs[id];
    if (slab === undefined) return;
    const length = slab.words[((this.#offsetOf[slot] ?? 0) >>> 2) + 1] ?? 0;
    const total = aligned(length);
    this.#slabOf[slot] = none;
    slab.live -= total;
    this.#live -= total;
    this.#payload -= length;
  }

  /** The bytes of a slot, not a copy: good until the next {@link Slabs.tidy}, and not to be written to. */
  view(slot: number): Buffer | undefined {
    const slab = this.#slabs[this.#slabOf[slot] ?? none];
    if (slab === undefined) return undefined;
    const offset = this.#offsetOf[slot] ?? 0;
    const start = offset + headBytes;
    return slab.bytes.subarray(start, start + (slab.words[(offset >>> 2) + 1] ?? 0));
  }

  /** The bytes of a slot as text. */
  text(slot: number): string | undefined {
    const slab = this.#slabs[this.#slabOf[slot] ?? none];
    if (slab === undefined) return undefined;
    const offset = this.#offsetOf[slot] ?? 0;
    const start = offset + headBytes;
    return slab.bytes.toString("utf8", start, start + (slab.words[(offset >>> 2) + 1] ?? 0));
  }

  /** Whether the bytes of a slot, from `at` on, are those of `source` from `start` to `end`. */
  matches(slot: number, at: number, source: Uint8Array, start: number, end: number): boolean {
    const slab = this.#slabs[this.#slabOf[slot] ?? none];
    if (slab === undefined) return false;
    const offset = this.#offsetOf[slot] ?? 0;
    if (at + end - start > (slab.words[(offset >>> 2) + 1] ?? 0)) return false;
    const { bytes } = slab;
    const shift = offset + headBytes + at - start;
    for (let i = start; i < end; i += 1) if (bytes[shift + i] !== source[i]) return false;
    return true;
  }

  /** Frees what is dead once it is more than its share, one slab per call at most. Views are void after this. */
  tidy(): void {
    if (this.#used - this.#live <= Math.max(slabBytesMin, this.#used * deadShareMax)) return;
    const id = this.#deadest();
    const slab = this.#slabs[id];
    if (slab === undefined) return;
    if (slab.live > 0) this.#moveOut(slab, id);
    this.#release(slab, id);
  }

  /** Every entry of a slab that is still current is written anew, to the slab that is being filled. */
  #moveOut(slab: Slab, id: number): void {
    for (let offset = 0; offset < slab.used;) {
      const slot = slab.words[offset >>> 2] ?? 0;
      const length = slab.words[(offset >>> 2) + 1] ?? 0;
      if (this.#slabOf[slot] === id && this.#offsetOf[slot] === offset) {
        const start = offset + headBytes;
        const end = start + length;
        this.put(slot, slab.bytes, { start, cutStart: end, cutEnd: end, end });
      }
      offset += aligned(length);
    }
  }

  /** The slab with most dead bytes, the one being filled aside; if there is none but that, a new one is begun. */
  #deadest(): number {
    let worst = -1;
    let most = 0;
    for (let id = 0; id < this.#slabs.length; id += 1) {
      const slab = this.#slabs[id];
      if (slab === undefined || id === this.#current || slab.used - slab.live <= most) continue;
      worst = id;
      most = slab.used - slab.live;
    }
    const current = this.#slabs[this.#current];
    if (current === undefined || current.used - current.live <= most) return worst;
    worst = this.#current;
    this.#current = -1;
    return worst;
  }

  #release(slab: Slab, id: number): void {
    this.#slabs[id] = undefined;
    this.#free.push(id);
    this.#used -= slab.used;
    this.#held -= slab.bytes.length;
    slab.used = 0;
    slab.live = 0;
    if (slab.bytes.length === this.#slabBytes()) this.#spare = slab;
  }

  /** The slab with room for so many bytes: the one being filled, or a new one. */
  #room(total: number): number {
    const current = this.#slabs[this.#current];
    if (current !== undefined && current.bytes.length - current.used >= total) return this.#current;
    const size = this.#slabBytes();
    // A long entry has a slab to itself: the one being filled has room for others still.
    const isLong = total > size / 4;
    const slab = this.#take(isLong ? total : size);
    const id = this.#free.pop() ?? this.#slabs.length;
    this.#slabs[id] = slab;
    this.#held += slab.bytes.length;
    if (!isLong) this.#current = id;
    return id;
  }

  #take(size: number): Slab {
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare?.bytes.length === size) return spare;
    const bytes = Buffer.allocUnsafeSlow(size);
    return { bytes, words: new Uint32Array(bytes.buffer), used: 0, live: 0 };
  }

  /** Small at first, so that a kind with three objects does not cost a mebibyte; a sixteenth of what there is later. */
  #slabBytes(): number {
    const wanted = 2 ** Math.floor(Math.log2(Math.max(slabBytesMin, this.#live / 16)));
    return Math.min(wanted, this.#slabBytesMax);
  }

  #place(slot: number, id: number, offset: number): void {
    if (slot >= this.#slabOf.length) {
      const length = Math.max(slot + 1, Math.ceil(this.#slabOf.length * 1.5));
      const slabOf = new Uint32Array(length).fill(none, this.#slabOf.length);
      slabOf.set(this.#slabOf);
      this.#slabOf = slabOf;
      const offsetOf = new Uint32Array(length);
      offsetOf.set(this.#offsetOf);
      this.#offsetOf = offsetOf;
    }
    this.#slabOf[slot] = id;
    this.#offsetOf[slot] = offset;
  }
}

/** The room an entry of so many bytes takes, head included. */
function aligned(length: number): number {
  return (headBytes + length + 3) & ~3;
}
