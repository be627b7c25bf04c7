import type { CelFailure } from "../failure.ts";
import type { OpaqueType } from "../types/type.ts";
import type { CelDuration } from "./duration.ts";
import type { CelTimestamp } from "./timestamp.ts";

/**
 * A value of the language at run time.
 *
 * `bigint` is an int (always within 64 bits), `number` is a double, `Uint8Array` is bytes.
 */
export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | CelUint
  | CelTimestamp
  | CelDuration
  | CelTypeValue
  | CelList
  | CelMap
  | CelOptional
  | CelOpaque;

/** What an evaluation step yields: a value, or the error that stands in its place. */
export type CelResult = CelValue | CelFailure;

/** An unsigned 64-bit integer. */
export class CelUint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** A type as a value, as `type(1)` or the name `int` yields it. Equal when the names are equal. */
export class CelTypeValue {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A sequence of values, read by index. */
export abstract class CelList {
  /** Whether `optional.ofNonZeroValue` takes the empty list for nothing. */
  get hasZero(): boolean {
    return true;
  }
  /** The same list without its schema, as it comes out of an optional. */
  plain(): CelValue {
    return this;
  }
  /** What messages of the API server call such a list. */
  get describedAs(): string {
    return "*types.baseList";
  }
  abstract readonly size: number;
  /** The element at an index within `0 .. size - 1`. */
  abstract at(index: number): CelResult;
  /**
   * Equality where this list decides it differently than element by element. `undefined`: element by element.
   */
  equalsSpecially(_other: CelValue): boolean | CelFailure | undefined {
    return undefined;
  }
  /** Whether a value is in the list, where it is decided differently than by equality of one element. */
  containsSpecially(_value: CelValue): boolean | CelFailure | undefined {
    return undefined;
  }
  /** The result of `this + other` where it is more than one after the other. `undefined`: one after the other. */
  concatSpecially(_other: CelList): CelResult | undefined {
    return undefined;
  }
}

/** Values by key. Keys are bool, int, uint or string; `1`, `1u` and `1.0` are the same key. */
export abstract class CelMap {
  /** Whether `optional.ofNonZeroValue` takes the empty map for nothing. */
  get hasZero(): boolean {
    return true;
  }
  /** The same map without its schema, as it comes out of an optional. */
  plain(): CelValue {
    return this;
  }
  /** What messages of the API server call such a map. */
  get describedAs(): string {
    return "*types.baseMap";
  }
  abstract readonly size: number;
  /** The value at a key; `undefined` when there is none. */
  abstract find(key: CelValue): CelResult | undefined;
  /** The keys in order of insertion. */
  abstract keys(): readonly CelValue[];
  /** Equality where this map decides it differently than key by key. `undefined`: key by key. */
  equalsSpecially(_other: CelValue): boolean | CelFailure | undefined {
    return undefined;
  }
}

/** A value that may be absent. */
export class CelOptional {
  /** The optional that holds nothing. */
  static readonly none: CelOptional = new CelOptional(undefined);
  /** What it holds; `undefined` when it holds nothing. */
  readonly value: CelValue | undefined;

  private constructor(value: CelValue | undefined) {
    this.value = value;
  }

  /** The optional that holds a value. */
  static of(value: CelValue): CelOptional {
    return new CelOptional(value);
  }
}

/** A value of a type that a library brings along. */
export abstract class CelOpaque {
  abstract readonly type: OpaqueType;
  /** Whether this and another value are equal. The other may be of any type. */
  abstract equals(other: CelValue): boolean | CelFailure;
  /** Its size for the counting of cost; 1 unless a library says otherwise. */
  get size(): number {
    return 1;
  }
}
