import { Recent } from "./recent.ts";

/** Finds the part of a value that other values are likely to have, too. It may be any: what it is decides nothing but memory. */
export type FindShared = (bytes: Uint8Array) => { readonly start: number; readonly end: number } | undefined;

/** A value in two: what is its own, and what belongs at a place in that and is shared. */
export interface Cut {
  readonly own: Uint8Array;
  readonly shared: Uint8Array | undefined;
  readonly at: number;
}

/** Shorter parts are not worth the trouble. */
const partBytesMin = 128;

/**
 * Cuts values into what is their own and what they have in common with values of late, which is kept once.
 *
 * Half of a small object is the list of who owns which field, and that is the same for all that were made by the same program.
 */
export class SharedParts {
  readonly #find: FindShared;
  readonly #known = new Recent<Uint8Array>({ countMax: 1024, lengthMax: 4 * 1024 * 1024 });

  constructor(find: FindShared = () => undefined) {
    this.#find = find;
  }

  /** The parts of a value, in memory of their own. */
  cut(bytes: Uint8Array): Cut {
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
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const made = part.slice();
    this.#known.keep(text, made);
    return made;
  }
}

/** The same bytes in memory of their own: a small view would keep all of the pool alive that it was cut from. */
function owned(bytes: Uint8Array): Uint8Array {
  return bytes.buffer.byteLength === bytes.byteLength ? bytes : bytes.slice();
}
