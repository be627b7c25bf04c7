/** The smallest timestamp, 0001-01-01T00:00:00Z, in nanoseconds since the epoch. */
export const timestampNanosMin = -62_135_596_800_000_000_000n;
/** The largest timestamp, 9999-12-31T23:59:59.999999999Z, in nanoseconds since the epoch. */
export const timestampNanosMax = 253_402_300_799_999_999_999n;

/** A point in time with nanosecond precision. */
export class CelTimestamp {
  /** Nanoseconds since 1970-01-01T00:00:00Z. */
  readonly nanos: bigint;
  /** The UTC offset with which it was written. Used only by `string()`, not by comparisons. */
  readonly offsetSeconds: number;

  constructor(nanos: bigint, offsetSeconds = 0) {
    this.nanos = nanos;
    this.offsetSeconds = offsetSeconds;
  }
}
