/** A point in time, to the nanosecond. */
export class CelTimestamp {
  /** Nanoseconds since 1970-01-01T00:00:00Z. */
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}
