import type { LeaseRecord } from "./record.ts";

/** How many of its own records a process remembers. More than can be on their way to the server at a time. */
const recordsMax = 8;

/**
 * What a process knows of its hold on the Lease: the records it wrote, and from when on it may lead.
 *
 * Records whose answer was lost count too: they may have been stored, and then the Lease is ours.
 */
export class Claim {
  readonly #records: LeaseRecord[] = [];
  readonly #waitMs: number;
  #leadFrom: number | undefined;

  /** @param waitMs How long to wait from the first moment the hold is certain until leading. */
  constructor(waitMs: number) {
    this.#waitMs = waitMs;
  }

  get records(): readonly LeaseRecord[] {
    return this.#records;
  }

  /** Notes a record before it is sent. */
  sending(record: LeaseRecord): void {
    this.#records.push(record);
    if (this.#records.length > recordsMax) this.#records.shift();
  }

  /** Notes that the server holds a record of ours, as seen at a moment of the monotonic clock. */
  confirm(monotonic: number): void {
    this.#leadFrom ??= monotonic + this.#waitMs;
  }

  /** For how long this process must not lead yet. */
  waitMs(monotonic: number): number {
    return this.#leadFrom === undefined ? Infinity : this.#leadFrom - monotonic;
  }
}
