// The records that a producer sent, and those that a consumer read.

import { readObject } from "../adapter/json.ts";

/** Numbers about the records of a producer. */
export interface Counts {
  readonly acknowledged: number;
  /** Records whose fate is unknown: the producer gave up. They may or may not be in the log. */
  readonly failed: number;
  /** Longest time between two acknowledgements, including the time since the last one. */
  readonly longestGapMs: number;
}

/** The result of a comparison. */
export interface Verdict extends Counts {
  readonly read: number;
  /** Acknowledged records that are not in the log, at most 20. */
  readonly missing: readonly string[];
}

const shownMax = 20;

/** Collects the acknowledgements that Kafka's VerifiableProducer prints, one JSON document per line. */
export class Ledger {
  readonly #acknowledged = new Map<string, string>();
  #failed = 0;
  #longestGapMs = 0;
  #lastMs: number | undefined;

  /** Notes a line of the producer. Lines of other kinds are ignored. */
  note(line: string, nowMs: number): void {
    const { name, partition, offset, value } = readObject(line);
    if (name === "producer_send_error") this.#failed += 1;
    if (name !== "producer_send_success") return;
    this.#acknowledged.set(`${String(partition)}:${String(offset)}`, String(value));
    this.#longestGapMs = Math.max(this.#longestGapMs, nowMs - (this.#lastMs ?? nowMs));
    this.#lastMs = nowMs;
  }

  /** Returns the numbers so far, and starts a new measurement of gaps. */
  counts(nowMs: number): Counts {
    const longestGapMs = Math.max(this.#longestGapMs, nowMs - (this.#lastMs ?? nowMs));
    this.#longestGapMs = 0;
    return { acknowledged: this.#acknowledged.size, failed: this.#failed, longestGapMs };
  }

  /** Returns the acknowledged records by partition and offset, as they are now. */
  snapshot(): ReadonlyMap<string, string> {
    return new Map(this.#acknowledged);
  }
}

/** Compares acknowledged records with the lines of Kafka's console consumer: `Partition:1`, `Offset:42` and the value, separated by tabs. */
export class Comparison {
  readonly #remaining: Map<string, string>;
  #read = 0;

  constructor(acknowledged: ReadonlyMap<string, string>) {
    this.#remaining = new Map(acknowledged);
  }

  /** Notes a record. It counts only at the acknowledged place in the log and with the acknowledged value. */
  note(line: string): void {
    const [, partition, offset, value = ""] = /^Partition:(\d+)\tOffset:(\d+)\t(.*)$/.exec(line) ?? [];
    if (partition === undefined) return;
    this.#read += 1;
    const place = `${partition}:${offset}`;
    if (this.#remaining.get(place) === value) this.#remaining.delete(place);
  }

  get isComplete(): boolean {
    return this.#remaining.size === 0;
  }

  get read(): number {
    return this.#read;
  }

  /** Returns the first records that were not read. */
  get missing(): readonly string[] {
    return [...this.#remaining].slice(0, shownMax).map(([place, value]) => `${place}=${value}`);
  }
}
