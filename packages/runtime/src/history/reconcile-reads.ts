import type { ReadNote } from "../writes/journal.ts";
import type { RecordedRead } from "./reconcile-record.ts";

/** Maximum number of entries of one reconcile: reads are counted per kind, verb and source. */
const entriesMax = 32;
/** Maximum number of names and selectors that are kept of one entry. */
const namesMax = 8;
/** Maximum length of a name or selector. */
const nameLengthMax = 200;

/** A read without the name of what was read. */
export type CountedRead = Omit<ReadNote, "of">;

/** Reads of one kind with one verb from one source. */
class ReadEntry {
  readonly verb: ReadNote["verb"];
  readonly resource: string;
  readonly source: ReadNote["source"];
  readonly of: string[] = [];
  reads = 0;
  objects = 0;
  failures = 0;
  ms = 0;

  constructor({ verb, resource, source }: CountedRead) {
    this.verb = verb;
    this.resource = resource;
    this.source = source;
  }

  toRecord(): RecordedRead {
    const { verb, resource, source, of, reads, objects, failures, ms } = this;
    return {
      verb,
      resource,
      source,
      of,
      reads,
      objects,
      ...(source === "live" && { ms }),
      ...(failures > 0 && { failures }),
    };
  }
}

/**
 * Counts the reads of one reconcile.
 *
 * Called for every read from the cache, of which a reconcile may make thousands: a read costs a search in a short list, and the names of the first ones
 * only are formatted and kept.
 */
export class ReconcileReads {
  readonly #entries: ReadEntry[] = [];
  #omitted = 0;

  /** Counts a read. `name` returns the key or selector; it is called for the first reads of an entry only. */
  count(read: CountedRead, name: () => string): void {
    const { verb, resource, source, objects, ms = 0, isFailed = false } = read;
    let entry = this.#find(verb, resource, source);
    if (entry === undefined) {
      if (this.#entries.length === entriesMax) {
        this.#omitted += 1;
        return;
      }
      entry = new ReadEntry(read);
      this.#entries.push(entry);
    }
    entry.reads += 1;
    entry.objects += objects;
    entry.ms += ms;
    if (isFailed) entry.failures += 1;
    if (entry.of.length === namesMax) return;
    const text = name().slice(0, nameLengthMax);
    if (!entry.of.includes(text)) entry.of.push(text);
  }

  /** Returns the reads, and the number of reads that belong to no entry because of the limit. */
  toRecord(): { readonly reads: readonly RecordedRead[]; readonly readsOmitted: number } {
    return { reads: this.#entries.map((entry) => entry.toRecord()), readsOmitted: this.#omitted };
  }

  #find(verb: string, resource: string, source: string): ReadEntry | undefined {
    for (const entry of this.#entries) {
      if (entry.resource === resource && entry.verb === verb && entry.source === source) return entry;
    }
    return undefined;
  }
}

/** Returns the reads of a reconcile, with those that equal a read of an earlier reconcile replaced by it, because most reconciles of an object read the same. */
export function sharedReads(
  reads: readonly RecordedRead[],
  earlier: readonly RecordedRead[] | undefined,
): readonly RecordedRead[] {
  if (earlier === undefined || reads.length === 0) return reads;
  const shared = reads.map((read) => earlier.find((other) => isSameRead(read, other)) ?? read);
  const isSameList = shared.length === earlier.length && shared.every((read, index) => read === earlier[index]);
  return isSameList ? earlier : shared;
}

function isSameRead(one: RecordedRead, other: RecordedRead): boolean {
  return (
    one.resource === other.resource &&
    one.verb === other.verb &&
    one.source === other.source &&
    one.reads === other.reads &&
    one.objects === other.objects &&
    one.ms === other.ms &&
    one.failures === other.failures &&
    one.of.length === other.of.length &&
    one.of.every((name, index) => name === other.of[index])
  );
}
