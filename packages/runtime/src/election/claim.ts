import type { LeaseRecord } from "./record.ts";

/** Number of own records that a process remembers. More than can be in transit at the same time. */
const recordsMax = 8;

/**
 * The claim of a process on the Lease: the records it has sent, and the time from which it may lead.
 *
 * Records are remembered before they are sent, because a response may be lost: the API server may have stored such a record, and then this
 * process holds the Lease without knowing it. Without the memory, it would wait for its own lease to expire.
 */
export class Claim {
  readonly #records: LeaseRecord[] = [];
  readonly #waitMs: number;
  #leadFrom: number | undefined;

  /** @param waitMs Milliseconds to wait after the claim was first confirmed, before leading. */
  constructor(waitMs: number) {
    this.#waitMs = waitMs;
  }

  get records(): readonly LeaseRecord[] {
    return this.#records;
  }

  /** Remembers a record that is about to be sent. */
  sending(record: LeaseRecord): void {
    this.#records.push(record);
    if (this.#records.length > recordsMax) this.#records.shift();
  }

  /** Notes that the server holds one of the records, observed at a time of the monotonic clock. Only the first call has an effect. */
  confirm(monotonic: number): void {
    this.#leadFrom ??= monotonic + this.#waitMs;
  }

  /** Returns the milliseconds for which this process must not lead yet; infinite before the claim is confirmed, negative afterwards. */
  waitMs(monotonic: number): number {
    return this.#leadFrom === undefined ? Infinity : this.#leadFrom - monotonic;
  }
}
