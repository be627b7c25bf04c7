import { orderOf } from "./key-order.ts";
import type { SharedParts, SplitValue } from "./shared-parts.ts";

/**
 * A stored value: bytes under a key, with the revisions of its writes.
 *
 * Immutable; the next write of the key creates another entry. An entry can therefore be held for as long as its state
 * is needed: by a list at an earlier revision, by a watcher, by a fork of the store.
 */
export interface Entry<T> {
  /** Full key: `"pods/default/web-0"`. */
  readonly key: string;
  /** Sort key, see `orderOf`. */
  readonly order: string;
  /** Revision of the write that stored this value: the object's `resourceVersion`. */
  readonly revision: number;
  /** Revision that created the key, after its last deletion if it was deleted before. */
  readonly createdRevision: number;
  /** Encoded object; must not be changed. Each access may assemble it from two parts, so read it once. */
  readonly bytes: Uint8Array;
  /** Length of `bytes`. Does not assemble them. */
  readonly size: number;
  /** Copies the bytes, without the first `skipped` ones, into a buffer at an offset. Returns the offset after them. */
  copyTo(target: Uint8Array, at: number, skipped?: number): number;
  /**
   * Parsed object, while the cache of the store holds it. Use `Store.read`, which parses the bytes if it is undefined.
   */
  object: T | undefined;
}

/** A value to be stored. With `object`, the object it was encoded from, the store need not parse the bytes. */
export interface NewValue<T> {
  readonly bytes: Uint8Array;
  readonly object?: T;
}

/** Creates an entry with its own copy of the bytes, except for the part that it shares with other entries. */
export function newEntry<T>(
  key: string,
  { bytes, object }: NewValue<T>,
  { revision, createdRevision, shared }: { revision: number; createdRevision: number; shared: SharedParts },
): Entry<T> {
  return new StoredEntry(key, { revision, createdRevision, object, ...shared.split(bytes) });
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
    about: SplitValue & { readonly revision: number; readonly createdRevision: number; readonly object: T | undefined },
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
