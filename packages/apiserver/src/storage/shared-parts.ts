import { Recent } from "./recent.ts";

/** Finds the part of a value that other values probably contain too. A wrong guess only costs memory. */
export type FindShared = (bytes: Uint8Array) => { readonly start: number; readonly end: number } | undefined;

/** A value in two parts: `own` is unique to it, and `shared` belongs into `own` at the offset `at`. */
export interface SplitValue {
  readonly own: Uint8Array;
  readonly shared: Uint8Array | undefined;
  readonly at: number;
}

/** Shorter parts are not worth sharing. */
const partBytesMin = 128;

/**
 * Splits values into an own part and a part that recent values have in common, which is kept in memory once.
 *
 * In practice the shared part is `metadata.managedFields`, about half of a small object: it is the same for all objects
 * that the same program wrote with the same fields.
 */
export class SharedParts {
  readonly #find: FindShared;
  readonly #recent = new Recent<Uint8Array>({ countMax: 1024, lengthMax: 4 * 1024 * 1024 });

  constructor(find: FindShared = () => undefined) {
    this.#find = find;
  }

  /** Splits a value. The parts are copies and keep no other memory alive. */
  split(bytes: Uint8Array): SplitValue {
    const found = this.#find(bytes);
    if (found === undefined || found.end - found.start < partBytesMin)
      return { own: owned(bytes), shared: undefined, at: 0 };
    const { start, end } = found;
    const own = Buffer.allocUnsafeSlow(bytes.length - (end - start));
    own.set(bytes.subarray(0, start));
    own.set(bytes.subarray(end), start);
    return { own, shared: this.#shared(bytes.subarray(start, end)), at: start };
  }

  #shared(part: Uint8Array): Uint8Array {
    const text = Buffer.from(part.buffer, part.byteOffset, part.length).toString("latin1");
    const shared = this.#recent.get(text);
    if (shared !== undefined) return shared;
    const copy = part.slice();
    this.#recent.keep(text, copy);
    return copy;
  }
}

/** Returns the bytes in a buffer of their own. A small view would keep the whole pool alive that it was cut from. */
function owned(bytes: Uint8Array): Uint8Array {
  return bytes.buffer.byteLength === bytes.byteLength ? bytes : bytes.slice();
}
