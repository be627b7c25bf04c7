// The tables of all namespaces, and the order of their changes.
//
// Every change gets the next version. A bounded log of changed keys lets a subscriber continue where its last stream ended. Versions are
// counted by each process for itself, therefore a position is a version together with the epoch, a random name of the process.

import { isEqual } from "@homeostat/core";
import type { PreviewHost, PreviewSettings, RouteTable, SentSettings } from "@homeostat/routing";
import { hostKeyOf } from "./host-key.ts";

/** The versions of the changes of a table or a preview host. */
interface ChangeRecord {
  /** `namespace/service` of a table, or the key of a preview host. */
  readonly key: string;
  /** Version of the last change. */
  readonly version: number;
  /** Version at which the table appeared. */
  readonly addedAt: number;
  /** Version of the last change of the content or the pods. Changes of addresses are ignored. */
  readonly contentSince: number;
}

/** A table and the versions of its changes. */
export interface TableRecord extends ChangeRecord {
  readonly table: RouteTable;
  /** True if a preview endpoint routes to the Service. */
  readonly isEndpoint: boolean;
  /** Names of the pods that the Service selects, if sidecars intercept its requests. */
  readonly pods: ReadonlySet<string>;
}

/** A preview host and the versions of its changes. */
export interface HostRecord extends ChangeRecord {
  readonly host: PreviewHost;
}

/** Position of a subscriber in the changes of one server process. */
export interface FeedPosition {
  readonly epoch: string;
  readonly version: number;
}

/** Receives the key of each changed table or host and the version of the change; an undefined key stands for the settings. */
export type FeedListener = (key: string | undefined, version: number) => void;

export interface TableFeedOptions {
  readonly epoch: string;
  /** Changes that are kept for subscribers that reconnect. Default 10,000. */
  readonly logMax?: number | undefined;
}

const noPods: ReadonlySet<string> = new Set();

function isSameSet(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((each) => other.has(each));
}

export class TableFeed {
  readonly epoch: string;
  readonly #logMax: number;
  readonly #records = new Map<string, TableRecord>();
  readonly #hosts = new Map<string, HostRecord>();
  readonly #listeners = new Set<FeedListener>();
  #log: { readonly version: number; readonly key: string }[] = [];
  /** Version before the oldest change in the log. */
  #floor = 0;
  #version = 0;
  #settings: SentSettings | undefined;
  #preview: PreviewSettings | undefined;

  constructor({ epoch, logMax = 10_000 }: TableFeedOptions) {
    this.epoch = epoch;
    this.#logMax = logMax;
  }

  get version(): number {
    return this.#version;
  }

  /** Settings of routing; undefined until they are known. */
  get settings(): SentSettings | undefined {
    return this.#settings;
  }

  /** Settings of preview hosts; undefined until they are known. */
  get preview(): PreviewSettings | undefined {
    return this.#preview;
  }

  host(key: string): HostRecord | undefined {
    return this.#hosts.get(key);
  }

  hosts(): IterableIterator<HostRecord> {
    return this.#hosts.values();
  }

  record(key: string): TableRecord | undefined {
    return this.#records.get(key);
  }

  records(): IterableIterator<TableRecord> {
    return this.#records.values();
  }

  /** Adds or replaces a table. Does nothing if it is unchanged. */
  set(table: RouteTable, isEndpoint: boolean, pods: ReadonlySet<string> = noPods): void {
    const key = `${table.namespace}/${table.service}`;
    const before = this.#records.get(key);
    const hasSamePods = before !== undefined && isSameSet(before.pods, pods);
    if (hasSamePods && before.isEndpoint === isEndpoint && isEqual(before.table, table)) return;
    const version = this.#version + 1;
    // A sidecar that starts to follow the table has not confirmed it, regardless of earlier confirmations.
    const isSameContent = hasSamePods && before.table.version === table.version;
    this.#records.set(key, {
      key,
      table,
      isEndpoint,
      pods,
      version,
      addedAt: before?.addedAt ?? version,
      contentSince: isSameContent ? before.contentSince : version,
    });
    this.#changed(key);
  }

  remove(key: string): void {
    if (this.#records.delete(key) || this.#hosts.delete(key)) this.#changed(key);
  }

  /** Adds or replaces a preview host. Does nothing if it is unchanged. */
  setHost(host: PreviewHost): void {
    const key = hostKeyOf(host);
    const before = this.#hosts.get(key);
    if (before !== undefined && isEqual(before.host, host)) return;
    const version = this.#version + 1;
    const isSameContent = before?.host.version === host.version;
    const contentSince = isSameContent ? before.contentSince : version;
    this.#hosts.set(key, { key, host, version, addedAt: before?.addedAt ?? version, contentSince });
    this.#changed(key);
  }

  /** Replaces the settings of preview hosts. They have no version, like those of routing. */
  configurePreview(preview: PreviewSettings): void {
    if (isEqual(preview, this.#preview)) return;
    this.#preview = preview;
    for (const listener of this.#listeners) listener(undefined, this.#version);
  }

  /** Replaces the settings of routing. They have no version: every new stream starts with them. */
  configure(settings: SentSettings): void {
    if (isEqual(settings, this.#settings)) return;
    this.#settings = settings;
    for (const listener of this.#listeners) listener(undefined, this.#version);
  }

  /** Returns the keys that changed after a position, or undefined if only a snapshot can bring its subscriber up to date. */
  changesSince({ epoch, version }: FeedPosition): ReadonlySet<string> | undefined {
    if (epoch !== this.epoch || version < this.#floor || version > this.#version) return undefined;
    return new Set(this.#log.filter((change) => change.version > version).map(({ key }) => key));
  }

  listen(listener: FeedListener): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  #changed(key: string): void {
    this.#version += 1;
    this.#log.push({ version: this.#version, key });
    // Trimmed at twice the limit, so the amortized cost of a change is constant.
    if (this.#log.length > 2 * this.#logMax) {
      this.#log = this.#log.slice(-this.#logMax);
      this.#floor = this.#version - this.#logMax;
    }
    for (const listener of this.#listeners) listener(key, this.#version);
  }
}
