// One reader of the feed.
//
// A subscriber has no queue of operations: it remembers the keys that its reader has not received yet, and builds an operation when the
// reader takes it. Several changes of one table become one operation. Memory is therefore bounded by the number of keys. Beyond
// `backlogMax` the keys are dropped as well, and all tables are sent again.

import { isHostKey } from "./host-key.ts";
import { type TableFilter, selectsKey, selectsTable } from "./filter.ts";
import type { StreamOperation } from "@homeostat/routing";
import type { FeedPosition, TableFeed } from "./table-feed.ts";

export interface SubscriberOptions {
  readonly feed: TableFeed;
  readonly filter: TableFilter;
  /** Position at which the last stream of the reader ended. */
  readonly from?: FeedPosition | undefined;
  /** Keys that may wait for a slow reader. Default 10,000. */
  readonly backlogMax?: number | undefined;
}

/** Tables to send before the next `SYNCED`. */
interface Replay {
  readonly keys: Iterator<string>;
  readonly version: number;
  readonly isSnapshot: boolean;
}

export class Subscriber implements Disposable {
  readonly filter: TableFilter;
  readonly #feed: TableFeed;
  readonly #backlogMax: number;
  readonly #listening: Disposable;
  /** Changed keys with the versions of their last change, in the order of versions. */
  readonly #pending = new Map<string, number>();
  /** Keys of the tables that the reader has. */
  #known = new Set<string>();
  /** Version from which a reader continues until it has caught up: it may have tables that are not in `known`. */
  #continuedFrom: number | undefined;
  #replay: Replay | undefined;
  #isConfigDue = true;
  #isPreviewDue: boolean;
  #wake: (() => void) | undefined;

  constructor({ feed, filter, from, backlogMax = 10_000 }: SubscriberOptions) {
    this.#feed = feed;
    this.filter = filter;
    this.#backlogMax = backlogMax;
    this.#isPreviewDue = filter.role === "gateway";
    const changes = from === undefined ? undefined : feed.changesSince(from);
    if (changes === undefined) {
      this.#replay = this.#replayOf(this.#selectedKeys(), true);
    } else {
      this.#continuedFrom = from?.version;
      this.#replay = this.#replayOf(changes, false);
    }
    this.#listening = feed.listen((key, version) => this.#changed(key, version));
  }

  /** Number of keys that wait for the reader. */
  get backlog(): number {
    return this.#pending.size;
  }

  /** Returns the next operation; undefined if the reader is up to date. */
  take(): StreamOperation | undefined {
    if (this.#isConfigDue && this.#feed.settings !== undefined) {
      this.#isConfigDue = false;
      return { op: "CONFIG", routing: this.#feed.settings };
    }
    if (this.#isPreviewDue && this.#feed.preview !== undefined) {
      this.#isPreviewDue = false;
      return { op: "PREVIEW", preview: this.#feed.preview };
    }
    while (this.#replay !== undefined) {
      const { keys, version, isSnapshot } = this.#replay;
      const next = keys.next();
      if (next.done === true) {
        this.#replay = undefined;
        // The reader may have tables that were removed during the replay; their removal is pending.
        if (this.#continuedFrom !== undefined)
          this.#known = new Set([...this.#selectedKeys(), ...this.#pending.keys()]);
        this.#continuedFrom = undefined;
        return { op: "SYNCED", version, epoch: this.#feed.epoch, snapshot: isSnapshot };
      }
      const operation = this.#operationOf(next.value);
      if (operation !== undefined) return operation;
    }
    for (const [key, version] of this.#pending) {
      this.#pending.delete(key);
      const operation = this.#operationOf(key);
      if (operation !== undefined) return { ...operation, version };
    }
    return undefined;
  }

  /** Returns a keep-alive message. It contains the current version if the reader has received all changes. */
  ping(): StreamOperation {
    const isCurrent = this.#replay === undefined && this.#pending.size === 0;
    return { op: "PING", ...(isCurrent ? { version: this.#feed.version } : {}) };
  }

  /** Calls a function once, when there may be an operation to take. */
  onReady(wake: () => void): void {
    this.#wake = wake;
  }

  [Symbol.dispose](): void {
    this.#listening[Symbol.dispose]();
    this.#pending.clear();
  }

  #changed(key: string | undefined, version: number): void {
    if (key === undefined) {
      this.#isConfigDue = true;
      this.#isPreviewDue = this.filter.role === "gateway";
    } else {
      if (!selectsKey(this.filter, key)) return;
      // Moved to the end to keep the versions in ascending order.
      this.#pending.delete(key);
      this.#pending.set(key, version);
      if (this.#pending.size > this.#backlogMax) this.#sendAll();
    }
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  /** Drops the backlog. The replay includes removals of deleted tables that the reader has. */
  #sendAll(): void {
    this.#pending.clear();
    const isSnapshot = this.#continuedFrom !== undefined || this.#replay?.isSnapshot === true;
    this.#continuedFrom = undefined;
    this.#replay = this.#replayOf(new Set([...this.#known, ...this.#selectedKeys()]), isSnapshot);
  }

  #replayOf(keys: Iterable<string>, isSnapshot: boolean): Replay {
    return { keys: [...keys][Symbol.iterator](), version: this.#feed.version, isSnapshot };
  }

  #selectedKeys(): string[] {
    const tables = [...this.#feed.records()].filter((each) => selectsTable(this.filter, each));
    const hosts = [...this.#feed.hosts()].filter(({ key }) => selectsKey(this.filter, key));
    return [...tables, ...hosts].map(({ key }) => key);
  }

  #operationOf(key: string): Extract<StreamOperation, { table: unknown } | { host: unknown }> | undefined {
    return isHostKey(key) ? this.#hostOperation(key) : this.#tableOperation(key);
  }

  #hostOperation(key: string): Extract<StreamOperation, { host: unknown }> | undefined {
    const record = this.#feed.host(key);
    if (record !== undefined) {
      this.#known.add(key);
      return { op: "HOST", host: record.host };
    }
    if (!this.#isRemoved(key)) return undefined;
    const [namespace = "", host = ""] = key.split("/@");
    return { op: "HOST_REMOVED", host: { namespace, host } };
  }

  #tableOperation(key: string): Extract<StreamOperation, { table: unknown }> | undefined {
    const record = this.#feed.record(key);
    if (record !== undefined && selectsTable(this.filter, record)) {
      const isKnown = this.#known.has(key) || record.addedAt <= (this.#continuedFrom ?? -1);
      this.#known.add(key);
      return { op: isKnown ? "REPLACE" : "ADD", table: record.table };
    }
    if (!this.#isRemoved(key)) return undefined;
    const [namespace = "", service = ""] = key.split("/");
    return { op: "REMOVE", table: { namespace, service } };
  }

  /** Reports whether the reader has, or may have, a table or host that was deleted. */
  #isRemoved(key: string): boolean {
    return this.#known.delete(key) || (this.#continuedFrom !== undefined && selectsKey(this.filter, key));
  }
}
