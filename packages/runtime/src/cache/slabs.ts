/** A block of memory outside the JavaScript heap. Entries are only ever appended. */
interface Slab {
  readonly bytes: Buffer;
  /** The same memory as 32-bit words, for the headers of entries. */
  readonly words: Uint32Array;
  used: number;
  /** Bytes of `used` that belong to current entries. The rest is dead. */
  live: number;
}

/**
 * The bytes of an entry within a buffer, without a part that is omitted: from `start` to `cutStart` and from `cutEnd`
 * to `end`.
 */
export interface Cut {
  readonly start: number;
  readonly cutStart: number;
  readonly cutEnd: number;
  readonly end: number;
}

/** Options of {@link Slabs}. */
export interface SlabsOptions {
  /**
   * Size of the largest slabs. Default 1 MiB. An entry larger than a quarter of the current slab size gets a slab of
   * its own.
   */
  readonly slabBytesMax?: number;
}

/** Size of an entry's header: its slot and its length, four bytes each. Entries are aligned to four bytes. */
const headerBytes = 8;
const slabBytesMin = 16 * 1024;
/** Share of dead bytes above which slabs are compacted. */
const deadShareMax = 0.12;
const none = 0xffff_ffff;

/**
 * An append-only store of byte entries outside the JavaScript heap, indexed by slot, a small integer chosen by the
 * caller.
 *
 * Nothing is overwritten in place: a slot that is written again gets new space, and its old bytes stay valid until
 * {@link Slabs.compact}. So an event can read the previous state of an object without a copy. Compaction copies the
 * current entries out of the slab with the most dead bytes, one slab per call, so memory stays proportional to the
 * current entries however often they change, and no call takes long.
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

  /** Bytes of all current entries, without headers and padding. */
  get liveBytes(): number {
    return this.#payload;
  }

  /** Memory allocated, used or not. */
  get heldBytes(): number {
    return this.#held + (this.#spare?.bytes.length ?? 0);
  }

  /** Copies bytes as the new entry of a slot. The previous entry becomes dead. */
  put(slot: number, source: Buffer, { start, cutStart, cutEnd, end }: Cut): void {
    const length = cutStart - start + (end - cutEnd);
    const total = aligned(length);
    this.remove(slot);
    const id = this.#slabFor(total);
    const slab = this.#slabs[id];
    if (slab === undefined) return;
    const offset = slab.used;
    slab.words[offset >>> 2] = slot;
    slab.words[(offset >>> 2) + 1] = length;
    source.copy(slab.bytes, offset + headerBytes, start, cutStart);
    if (end > cutEnd) source.copy(slab.bytes, offset + headerBytes + cutStart - start, cutEnd, end);
    this.#setLocation(slot, id, offset);
    slab.used += total;
    slab.live += total;
    this.#used += total;
    this.#live += total;
    this.#payload += length;
  }

  /** Marks the entry of a slot as dead, if it has one. */
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

  /**
   * Returns the bytes of a slot without copying them. They are valid until the next {@link Slabs.compact} and must not
   * be changed.
   */
  view(slot: number): Buffer | undefined {
    const slab = this.#slabs[this.#slabOf[slot] ?? none];
    if (slab === undefined) return undefined;
    const offset = this.#offsetOf[slot] ?? 0;
    const start = offset + headerBytes;
    return slab.bytes.subarray(start, start + (slab.words[(offset >>> 2) + 1] ?? 0));
  }

  /** Returns the bytes of a slot as text. */
  text(slot: number): string | undefined {
    const slab = this.#slabs[this.#slabOf[slot] ?? none];
    if (slab === undefined) return undefined;
    const offset = this.#offsetOf[slot] ?? 0;
    const start = offset + headerBytes;
    return slab.bytes.toString("utf8", start, start + (slab.words[(offset >>> 2) + 1] ?? 0));
  }

  /** Reports whether the bytes of a slot, starting at `at`, equal those of `source` from `start` to `end`. */
  matches(slot: number, at: number, source: Uint8Array, start: number, end: number): boolean {
    const slab = this.#slabs[this.#slabOf[slot] ?? none];
    if (slab === undefined) return false;
    const offset = this.#offsetOf[slot] ?? 0;
    if (at + end - start > (slab.words[(offset >>> 2) + 1] ?? 0)) return false;
    const { bytes } = slab;
    const shift = offset + headerBytes + at - start;
    for (let i = start; i < end; i += 1) if (bytes[shift + i] !== source[i]) return false;
    return true;
  }

  /**
   * Frees the slab with the most dead bytes if their total share exceeds the limit. Invalidates the buffers returned
   * by {@link Slabs.view}.
   */
  compact(): void {
    if (this.#used - this.#live <= Math.max(slabBytesMin, this.#used * deadShareMax)) return;
    const id = this.#mostDead();
    const slab = this.#slabs[id];
    if (slab === undefined) return;
    if (slab.live > 0) this.#copyOut(slab, id);
    this.#release(slab, id);
  }

  /** Copies the current entries of a slab to the slab that is being filled. */
  #copyOut(slab: Slab, id: number): void {
    for (let offset = 0; offset < slab.used;) {
      const slot = slab.words[offset >>> 2] ?? 0;
      const length = slab.words[(offset >>> 2) + 1] ?? 0;
      if (this.#slabOf[slot] === id && this.#offsetOf[slot] === offset) {
        const start = offset + headerBytes;
        const end = start + length;
        this.put(slot, slab.bytes, { start, cutStart: end, cutEnd: end, end });
      }
      offset += aligned(length);
    }
  }

  /** Returns the slab with the most dead bytes. If it is the one being filled, the next entry starts a new slab. */
  #mostDead(): number {
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

  /** Returns a slab with space for an entry: the one being filled, or a new one. */
  #slabFor(total: number): number {
    const current = this.#slabs[this.#current];
    if (current !== undefined && current.bytes.length - current.used >= total) return this.#current;
    const size = this.#slabBytes();
    // A large entry gets a slab of its own; the one being filled still has space for others.
    const isLong = total > size / 4;
    const slab = this.#allocate(isLong ? total : size);
    const id = this.#free.pop() ?? this.#slabs.length;
    this.#slabs[id] = slab;
    this.#held += slab.bytes.length;
    if (!isLong) this.#current = id;
    return id;
  }

  #allocate(size: number): Slab {
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare?.bytes.length === size) return spare;
    const bytes = Buffer.allocUnsafeSlow(size);
    return { bytes, words: new Uint32Array(bytes.buffer), used: 0, live: 0 };
  }

  /**
   * Returns the size of the next slab: a sixteenth of the current bytes, within limits. Small at first, so that a kind
   * with three objects does not cost a mebibyte.
   */
  #slabBytes(): number {
    const bytes = 2 ** Math.floor(Math.log2(Math.max(slabBytesMin, this.#live / 16)));
    return Math.min(bytes, this.#slabBytesMax);
  }

  #setLocation(slot: number, id: number, offset: number): void {
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

/** Returns the space that an entry takes, including header and padding. */
function aligned(length: number): number {
  return (headerBytes + length + 3) & ~3;
}
