// Measures how long proxies take to use a new version of a table.

import type { Clock } from "@homeostat/core";
import type { TableFeed } from "../feed/table-feed.ts";
import type { LiveProxies } from "./live-proxies.ts";

export interface PublishTimesOptions {
  readonly feed: TableFeed;
  readonly proxies: () => LiveProxies;
  readonly clock: Clock;
  /** Called with the time that a table took, once all its proxies have confirmed it. */
  readonly onPublished: (namespace: string, seconds: number) => void;
}

/**
 * The tables whose present content some proxy has not confirmed, with the times of their changes. A change starts when this process reads
 * it from its watch: objects have no time of their last write that is precise enough. Tables that no proxy follows are not measured.
 */
export class PublishTimes {
  readonly #options: PublishTimesOptions;
  /** Times of the changes on the monotonic clock, by key. */
  readonly #unconfirmed = new Map<string, number>();
  /** Namespaces that had an age, so their gauge returns to 0. */
  readonly #namespaces = new Set<string>();

  constructor(options: PublishTimesOptions) {
    this.#options = options;
    options.feed.listen((key) => {
      if (key !== undefined) this.#changed(key);
    });
  }

  /** Compares with the confirmations. Call it when a proxy has confirmed, connected or disconnected. */
  update(): void {
    const { feed, clock, onPublished, proxies } = this.#options;
    for (const [key, sinceMs] of this.#unconfirmed) {
      const record = feed.record(key);
      const counts = record === undefined ? undefined : proxies().count(record);
      if (record === undefined || counts === undefined || counts.total === 0) this.#unconfirmed.delete(key);
      else if (counts.synced === counts.total) {
        this.#unconfirmed.delete(key);
        onPublished(record.table.namespace, (clock.monotonic() - sinceMs) / 1_000);
      }
    }
  }

  /** Returns the age of the oldest content that is not confirmed, by namespace. */
  ages(): ReadonlyMap<string, number> {
    const { clock, proxies } = this.#options;
    const ages = new Map([...this.#namespaces].map((namespace) => [namespace, 0]));
    const add = (namespace: string, sinceMs: number): void => {
      const seconds = (clock.monotonic() - sinceMs) / 1_000;
      ages.set(namespace, Math.max(ages.get(namespace) ?? 0, seconds));
    };
    for (const [key, sinceMs] of this.#unconfirmed) add(key.slice(0, key.indexOf("/")), sinceMs);
    for (const { owner, sinceMs } of proxies().silent()) add(owner, sinceMs);
    return ages;
  }

  #changed(key: string): void {
    const { feed, proxies, clock } = this.#options;
    const record = feed.record(key);
    if (record === undefined) {
      this.#unconfirmed.delete(key);
      return;
    }
    // A change of addresses is no new content.
    if (record.contentSince !== record.version || proxies().count(record).total === 0) return;
    this.#namespaces.add(record.table.namespace);
    this.#unconfirmed.set(key, clock.monotonic());
  }
}
