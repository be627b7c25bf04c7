// Writes the counts of proxies into the status of RouteTables, at most once per second and table.

import type { Client } from "@homeostat/client";
import { type Clock, ConflictError, type DeepReadonly, NotFoundError } from "@homeostat/core";
import type { Logger } from "@homeostat/runtime";
import { RouteTable } from "@homeostat/sandbox-operator";
import { selectsKey, type TableFilter } from "../feed/filter.ts";
import type { TableFeed } from "../feed/table-feed.ts";
import type { ClusterTables } from "../observe/cluster-tables.ts";
import { type LiveProxies, noProxies } from "./live-proxies.ts";
import { type EntryWrite, planEntries, type ReplicaEntry } from "./status-plan.ts";

const intervalMs = 1_000;
/** Writes of one second that run at the same time. */
const concurrency = 8;

export interface StatusWriterOptions {
  readonly client: Pick<Client, "apply">;
  readonly clock: Clock;
  readonly log: Logger;
  readonly feed: TableFeed;
  readonly tables: ClusterTables;
  readonly proxies: () => LiveProxies;
  /** Name of this replica: the name of its pod. */
  readonly replica: string;
  /** Key of the Service of the route server, whose EndpointSlices list the replicas. */
  readonly ownService: string | undefined;
}

export class StatusWriter {
  readonly #options: StatusWriterOptions;
  #dirty = new Set<string>();
  /** Own entries that were written and that the cache may not show yet, by UID of the table. */
  readonly #written = new Map<string, ReplicaEntry | undefined>();

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  /** Marks a table whose counts may have changed. */
  mark(key: string): void {
    this.#dirty.add(key);
  }

  /** Marks the tables of a filter whose content is newer than a version. */
  markAll(filter: TableFilter, after: number): void {
    for (const { key, contentSince } of this.#options.feed.records()) {
      if (contentSince > after && selectsKey(filter, key)) this.#dirty.add(key);
    }
  }

  /** Writes changes every second until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    // A process that was killed under the same name may have left entries.
    for (const { metadata } of this.#options.tables.objects()) this.mark(`${metadata.namespace}/${metadata.name}`);
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

  async #write(key: string): Promise<void> {
    const { feed, tables, proxies, replica, log } = this.#options;
    const object = tables.object(key);
    if (object === undefined) return;
    const { uid } = object.metadata;
    const observed = object.status?.replicas ?? [];
    const record = feed.record(key);
    const writes = planEntries({
      replica,
      observed: this.#written.has(uid) ? withOwn(observed, replica, this.#written.get(uid)) : observed,
      record,
      counts: record === undefined ? noProxies : proxies().count(record),
      replicas: this.#replicas(),
    });
    for (const write of writes) {
      try {
        await this.#apply(object.metadata, write);
        if (write.replica === replica) this.#written.set(uid, write.entry);
      } catch (error) {
        // The table was deleted, or deleted and created again: its next event marks it.
        if (error instanceof NotFoundError || error instanceof ConflictError) this.#written.delete(uid);
        else {
          log.warn("Failed to write the status of a route table", { table: key, error });
          this.mark(key);
        }
      }
    }
    // Entries of UIDs that no longer exist would accumulate.
    if (this.#written.size > 2 * [...feed.records()].length + 100) this.#written.clear();
  }

  /** Returns the replicas that exist; undefined if this one is not among them, and the Service does not show them. */
  #replicas(): ReadonlySet<string> | undefined {
    const { tables, ownService, replica } = this.#options;
    if (ownService === undefined) return undefined;
    const pods = tables.podsOf(ownService);
    return pods.has(replica) ? pods : undefined;
  }

  /** Applies the entry of a replica. Each replica has a field manager of its own, so that none touches the entries of others. */
  async #apply(
    { namespace = "", name = "", uid }: { readonly namespace?: string; readonly name?: string; readonly uid: string },
    { replica, entry }: EntryWrite,
  ): Promise<void> {
    await this.#options.client.apply(
      RouteTable,
      { metadata: { name, namespace, uid }, status: { replicas: entry === undefined ? [] : [entry] } },
      { subresource: "status", fieldManager: fieldManagerOf(replica), force: true },
    );
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
