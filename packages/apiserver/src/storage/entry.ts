import { orderOf } from "./key-order.ts";
import type { Cut, SharedParts } from "./shared-parts.ts";

/**
 * A stored value: bytes under a key, with the revisions that made it.
 *
 * Never changed once made; the next write of the key makes another. So it may be held for as long as somebody needs
 * that state: by a list at an earlier revision, by a watcher, by a fork.
 */
export interface Entry<T> {
  /** The whole path: `"pods/default/web-0"`. */
  readonly key: string;
  /** What keys are sorted by; see `orderOf`. */
  readonly order: string;
  /** The revision of the write that made this value: the object's `resourceVersion`. */
  readonly revision: number;
  /** The revision that first created the key, since it was last absent. */
  readonly createdRevision: number;
  /** The encoded object, put together at each look. Not to be changed. */
  readonly bytes: Uint8Array;
  /** How many bytes there are. */
  readonly size: number;
  /** Writes the bytes, without the first few if that is said, to a place in others, and returns the place behind them. */
  copyTo(target: Uint8Array, at: number, skipped?: number): number;
  /** The object parsed, while somebody remembers it. Read it through `Store.read`, which parses it when it is not here. */
  object: T | undefined;
}

/** A value about to be stored, and the object it was encoded from, if that is at hand: it need not be parsed then. */
export interface NewValue<T> {
  readonly bytes: Uint8Array;
  readonly object?: T;
}

/** Makes an entry that owns its bytes, save for the part that it shares with others. */
export function newEntry<T>(
  key: string,
  { bytes, object }: NewValue<T>,
  { revision, createdRevision, shared }: { revision: number; createdRevision: number; shared: SharedParts },
): Entry<T> {
  return new StoredEntry(key, { revision, createdRevision, object, ...shared.cut(bytes) });
}

class StoredEntry<T> implements Entry<T> {
  readonly key: string;
  readonly order: string;
  readonly revision: number;
  readonly createdRevision: number;
  object: T | undefined;
  readonly #own: Uint8Array;
  readonly #shared: Uint8Array | undefined;
  readonly #at: number;

  constructor(
    key: string,
    about: Cut & { readonly revision: number; readonly createdRevision: number; readonly object: T | undefined },
  ) {
    this.key = key;
    this.order = orderOf(key);
    this.revision = about.revision;
    this.createdRevision = about.createdRevision;
    this.object = about.object;
    this.#own = about.own;
    this.#shared = about.shared;
    this.#at = about.at;
  }

  get size(): number {
    return this.#own.length + (this.#shared?.length ?? 0);
  }

  get bytes(): Uint8Array {
    if (this.#shared === undefined) return this.#own;
    const bytes = Buffer.allocUnsafeSlow(this.size);
    this.copyTo(bytes, 0);
    return bytes;
  }

  copyTo(target: Uint8Array, at: number, skipped = 0): number {
    const [own, shared] = [this.#own, this.#shared];
    const end = at + this.size - skipped;
    if (shared === undefined) target.set(skipped === 0 ? own : own.subarray(skipped), at);
    else if (skipped > this.#at) target.set(this.bytes.subarray(skipped), at);
    else {
      target.set(own.subarray(skipped, this.#at), at);
      target.set(shared, at + this.#at - skipped);
      target.set(own.subarray(this.#at), end - own.length + this.#at);
    }
    return end;
  }
}
