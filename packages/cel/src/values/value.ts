import type { CelFailure } from "../failure.ts";
import type { CelDuration } from "./duration.ts";
import type { CelTimestamp } from "./timestamp.ts";

/**
 * A CEL value.
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

/** The result of an evaluation step: a value or an error. */
export type CelResult = CelValue | CelFailure;

/** An unsigned 64-bit integer. */
export class CelUint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** A type as a value, such as the result of `type(1)` or the name `int`. Type values are equal if their names are. */
export class CelTypeValue {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A list. */
export abstract class CelList {
  /** True if `optional.ofNonZeroValue` treats the empty list as a zero value. */
  get hasZero(): boolean {
    return true;
  }
  /** Returns the list without its schema, as when it is taken out of an optional. */
  plain(): CelValue {
    return this;
  }
  /** The Go type name of the list in messages of the API server. */
  get goTypeName(): string {
    return "*types.baseList";
  }
  abstract readonly size: number;
  /** Returns the element at an index from 0 to `size - 1`. */
  abstract at(index: number): CelResult;
  /**
   * Compares the list by rules of its own. Returns undefined to compare element by element.
   */
  customEquals(_other: CelValue): boolean | CelFailure | undefined {
    return undefined;
  }
  /** Reports by rules of its own whether a value is in the list. Returns undefined to compare with each element. */
  customContains(_value: CelValue): boolean | CelFailure | undefined {
    return undefined;
  }
  /** Returns `this + other` by rules of its own. Returns undefined for a plain concatenation. */
  customConcat(_other: CelList): CelResult | undefined {
    return undefined;
  }
}

/** A map. Keys are bool, int, uint or string; `1`, `1u` and `1.0` are the same key. */
export abstract class CelMap {
  /** True if `optional.ofNonZeroValue` treats the empty map as a zero value. */
  get hasZero(): boolean {
    return true;
  }
  /** Returns the map without its schema, as when it is taken out of an optional. */
  plain(): CelValue {
    return this;
  }
  /** The Go type name of the map in messages of the API server. */
  get goTypeName(): string {
    return "*types.baseMap";
  }
  abstract readonly size: number;
  /** Returns the value at a key; undefined if there is none. */
  abstract find(key: CelValue): CelResult | undefined;
  /** Returns the keys in insertion order. */
  abstract keys(): readonly CelValue[];
  /** Compares the map by rules of its own. Returns undefined to compare key by key. */
  customEquals(_other: CelValue): boolean | CelFailure | undefined {
    return undefined;
  }
}

/** An optional value. */
export class CelOptional {
  /** The empty optional. */
  static readonly none: CelOptional = new CelOptional(undefined);
  /** The content; undefined if the optional is empty. */
  readonly value: CelValue | undefined;

  private constructor(value: CelValue | undefined) {
    this.value = value;
  }

  /** Returns an optional with a value. */
  static of(value: CelValue): CelOptional {
    return new CelOptional(value);
  }
}

/** A value of a type that a library defines. */
export abstract class CelOpaque {
  /** The type of the value, made with `opaqueType`. Only its name matters at run time. */
  abstract readonly type: { readonly name: string };
  /** Reports whether this value equals another one of any type. */
  abstract equals(other: CelValue): boolean | CelFailure;
  /** Size for cost tracking. Default 1. */
  get size(): number {
    return 1;
  }
}
