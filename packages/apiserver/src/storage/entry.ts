import { orderOf } from "./key-order.ts";

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
  /** The encoded object. Not to be changed. */
  readonly bytes: Uint8Array;
  /** The object parsed, while somebody remembers it. Read it through `Store.read`, which parses it when it is not here. */
  object: T | undefined;
}

/** A value about to be stored, and the object it was encoded from, if that is at hand: it need not be parsed then. */
export interface NewValue<T> {
  readonly bytes: Uint8Array;
  readonly object?: T;
}

/** Makes an entry that owns its bytes. */
export function newEntry<T>(
  key: string,
  { bytes, object }: NewValue<T>,
  { revision, createdRevision }: { readonly revision: number; readonly createdRevision: number },
): Entry<T> {
  return { key, order: orderOf(key), revision, createdRevision, bytes: owned(bytes), object };
}

/** The same bytes in memory of their own: a small view would keep all of the pool alive that it was cut from. */
function owned(bytes: Uint8Array): Uint8Array {
  return bytes.buffer.byteLength === bytes.byteLength ? bytes : bytes.slice();
}
