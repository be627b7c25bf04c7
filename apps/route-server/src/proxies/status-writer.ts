// Writes the counts of proxies into the status of objects, at most once per second and object.

import { type Clock, ConflictError, type DeepReadonly, NotFoundError } from "@homeostat/core";
import type { Logger } from "@homeostat/runtime";
import type { TableFilter } from "../feed/filter.ts";
import { type EntryWrite, planEntries, type ReplicaEntry, type ServedHosts, type StatusInput } from "./status-plan.ts";

const intervalMs = 1_000;
/** Maximum number of concurrent writes. */
const concurrency = 8;

/** An object whose status has an entry for each replica. */
export interface StatusSubject {
  readonly uid: string;
  readonly observed: DeepReadonly<readonly ReplicaEntry[]>;
  /** Version of the content that the counts refer to; undefined if proxies get none. */
  readonly version: string | undefined;
  readonly counts: StatusInput["counts"];
  /** Confirmations of its preview hosts; undefined if it has none. */
  readonly hosts?: ServedHosts | undefined;
  /**
   * Applies the entry of a replica. Each replica has its own field manager, so replicas do not change each other's
   * entries.
   */
  apply(this: void, write: EntryWrite, fieldManager: string): Promise<unknown>;
}

/** All objects of one kind of status. */
export interface StatusSubjects {
  ids(this: void): Iterable<string>;
  find(this: void, id: string): StatusSubject | undefined;
  /** Returns the objects whose counts may change with the proxies of a filter that confirmed a version. */
  concerned(this: void, filter: TableFilter, after: number): Iterable<string>;
}

export interface StatusWriterOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly subjects: StatusSubjects;
  /** Name of this replica: the name of its pod. */
  readonly replica: string;
  /** Returns the names of all replicas that exist; undefined if they are not known. */
  readonly replicas: () => ReadonlySet<string> | undefined;
}

export class StatusWriter {
  readonly #options: StatusWriterOptions;
  #dirty = new Set<string>();
  /** Own entries that were written and that the cache may not show yet, by UID of the object. */
  readonly #written = new Map<string, ReplicaEntry | undefined>();

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  /** Marks an object whose counts may have changed. */
  mark(id: string): void {
    this.#dirty.add(id);
  }

  /** Marks the objects whose counts may change with the proxies of a filter. */
  markAll(filter: TableFilter, after: number): void {
    for (const id of this.#options.subjects.concerned(filter, after)) this.#dirty.add(id);
  }

  /** Writes changes every second until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    // A killed process of the same name may have left entries.
    for (const id of this.#options.subjects.ids()) this.mark(id);
    while (!signal.aborted) {
      try {
        await this.#options.clock.sleep(intervalMs, signal);
      } catch {
        return;
      }
      await this.flush();
    }
  }

  /** Writes the changes that are marked. Failed writes are marked again. */
  async flush(): Promise<void> {
    const keys = [...this.#dirty];
    this.#dirty = new Set();
    const queue = keys.values();
    const work = async (): Promise<void> => {
      for (const key of queue) await this.#write(key);
    };
    await Promise.all(Array.from({ length: Math.min(concurrency, keys.length) }, work));
  }

  async #write(id: string): Promise<void> {
    const { subjects, replica, replicas, log } = this.#options;
    const subject = subjects.find(id);
    if (subject === undefined) return;
    const { uid, observed, version, counts, hosts } = subject;
    const writes = planEntries({
      replica,
      observed: this.#written.has(uid) ? withOwn(observed, replica, this.#written.get(uid)) : observed,
      version,
      counts,
      hosts,
      replicas: replicas(),
    });
    for (const write of writes) {
      try {
        await subject.apply(write, fieldManagerOf(write.replica));
        if (write.replica === replica) this.#written.set(uid, write.entry);
      } catch (error) {
        // The object was deleted or re-created. If it exists, its next event marks it.
        if (error instanceof NotFoundError || error instanceof ConflictError) this.#written.delete(uid);
        else {
          log.warn("Failed to write the counts of proxies", { object: id, error });
          this.mark(id);
        }
      }
    }
    // Entries of UIDs that no longer exist would accumulate.
    if (this.#written.size > 2 * [...subjects.ids()].length + 100) this.#written.clear();
  }
}

/** Returns the field manager of a replica; the API server allows 128 characters. */
function fieldManagerOf(replica: string): string {
  return `sandbox-route-server/${replica}`.slice(0, 128);
}

function withOwn(
  observed: DeepReadonly<readonly ReplicaEntry[]>,
  replica: string,
  entry: ReplicaEntry | undefined,
): DeepReadonly<readonly ReplicaEntry[]> {
  const others = observed.filter(({ name }) => name !== replica);
  return entry === undefined ? others : [...others, entry];
}
