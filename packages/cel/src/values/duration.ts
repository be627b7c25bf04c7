/** A span of time, to the nanosecond, at most about 292 years long. */
export class CelDuration {
  /** Its length in nanoseconds, within 64 bits. */
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}
