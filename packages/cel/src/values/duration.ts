/** A duration with nanosecond precision, at most about 292 years. */
export class CelDuration {
  /** Length in nanoseconds, within 64 bits. */
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}
