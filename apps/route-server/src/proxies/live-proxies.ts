// The proxies with an open stream, and the versions that they have confirmed.

import type { Clock } from "@homeostat/core";
import { selectsKey, selectsTable, type TableFilter } from "../feed/filter.ts";
import type { FeedPosition, HostRecord, TableRecord } from "../feed/table-feed.ts";

/** Proxies of one replica that follow a table. */
export interface ProxyCounts {
  readonly total: number;
  readonly synced: number;
  /** The same counts by role, in alphabetical order. Roles without a proxy are omitted. */
  readonly roles: readonly RoleCounts[];
}

/** Proxies of one role. */
export interface RoleCounts {
  readonly role: TableFilter["role"];
  readonly total: number;
  readonly synced: number;
}

/** Counts of a table that no proxy follows. */
export const noProxies: ProxyCounts = { total: 0, synced: 0, roles: [] };

const roleNames = ["gateway", "sidecar", "takeover"] as const;

/** A stream that has opened. Disposing of it ends it. */
export interface ProxyStream {
  /** Namespace of the token, and the name that the proxy chose: only the same token may confirm for it. */
  readonly owner: string;
  readonly id: string;
  readonly filter: TableFilter;
  /** Ends the stream when another one of the same proxy replaces it. */
  end(this: void): void;
}

interface LiveProxy {
  readonly stream: ProxyStream;
  readonly openedMs: number;
  confirmed: number;
  /** Keys of tables that the proxy could not use. */
  failed: ReadonlySet<string>;
}

/** A confirmation of a proxy. */
export interface Acknowledgement {
  readonly owner: string;
  readonly id: string;
  readonly position: FeedPosition;
  /** Keys of tables that the proxy could not use. */
  readonly failed: ReadonlySet<string>;
}

/** Receives the filter of tables whose counts may have changed. Tables whose content is not newer than `after` are unchanged. */
export type ProxiesListener = (filter: TableFilter, after: number) => void;

export class LiveProxies {
  readonly #proxies = new Map<string, LiveProxy>();
  readonly #onChange: ProxiesListener;
  readonly #clock: Pick<Clock, "monotonic">;

  /** Calls `onChange` when the counts of the tables of a filter may have changed. */
  constructor({ clock, onChange }: { readonly clock: Pick<Clock, "monotonic">; readonly onChange: ProxiesListener }) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  get size(): number {
    return this.#proxies.size;
  }

  /** Returns the number of proxies of each role. */
  roles(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>(roleNames.map((role) => [role, 0]));
    for (const { stream } of this.#proxies.values()) {
      const { role } = stream.filter;
      counts.set(role, (counts.get(role) ?? 0) + 1);
    }
    return counts;
  }

  /** Returns the proxies that have confirmed nothing yet, with the time at which they connected. */
  *silent(): Generator<{ readonly owner: string; readonly sinceMs: number }> {
    for (const { stream, confirmed, openedMs } of this.#proxies.values()) {
      if (confirmed < 0) yield { owner: stream.owner, sinceMs: openedMs };
    }
  }

  open(stream: ProxyStream): Disposable {
    const key = keyOf(stream);
    const before = this.#proxies.get(key);
    const proxy: LiveProxy = { stream, openedMs: this.#clock.monotonic(), confirmed: -1, failed: new Set() };
    this.#proxies.set(key, proxy);
    // A proxy may reconnect before the server notices that its old connection is dead.
    before?.stream.end();
    this.#onChange(stream.filter, -1);
    return {
      [Symbol.dispose]: () => {
        if (this.#proxies.get(key) !== proxy) return;
        this.#proxies.delete(key);
        this.#onChange(stream.filter, -1);
      },
    };
  }

  /** Records a confirmation; false if the proxy has no open stream here. */
  acknowledge({ owner, id, position, failed }: Acknowledgement): boolean {
    const proxy = this.#proxies.get(keyOf({ owner, id }));
    if (proxy === undefined) return false;
    // Confirmations may arrive out of order.
    if (position.version < proxy.confirmed) return true;
    // Without errors, only the counts of tables change whose content is newer than the last confirmation.
    const isAll = failed.size > 0 || proxy.failed.size > 0;
    const after = isAll ? -1 : proxy.confirmed;
    proxy.confirmed = position.version;
    proxy.failed = failed;
    this.#onChange(proxy.stream.filter, after);
    return true;
  }

  /** Returns the filter of the tables that a proxy follows; undefined if it has no open stream here. */
  filterOf(proxy: Pick<ProxyStream, "owner" | "id">): TableFilter | undefined {
    return this.#proxies.get(keyOf(proxy))?.stream.filter;
  }

  /** Returns the number of gateways that serve the preview hosts of a namespace. */
  gatewaysOf(namespace: string): number {
    const filters = [...this.#proxies.values()].map(({ stream }) => stream.filter);
    const isGateway = (filter: TableFilter): boolean =>
      filter.role === "gateway" && (filter.namespace === undefined || filter.namespace === namespace);
    return filters.filter(isGateway).length;
  }

  /** Counts the proxies that follow a table or a preview host, and those among them that use its current content. */
  count(record: TableRecord | HostRecord): ProxyCounts {
    const counts = roleNames.map((role) => ({ role, total: 0, synced: 0 }));
    for (const { stream, confirmed, failed } of this.#proxies.values()) {
      if (!follows(stream.filter, record)) continue;
      const own = counts.find(({ role }) => role === stream.filter.role);
      if (own === undefined) continue;
      own.total += 1;
      if (confirmed >= record.contentSince && !failed.has(record.key)) own.synced += 1;
    }
    return {
      total: counts.reduce((sum, { total }) => sum + total, 0),
      synced: counts.reduce((sum, { synced }) => sum + synced, 0),
      roles: counts.filter(({ total }) => total > 0),
    };
  }
}

/** Reports whether a proxy follows a table or a host. */
function follows(filter: TableFilter, record: TableRecord | HostRecord): boolean {
  return "host" in record ? selectsKey(filter, record.key) : selectsTable(filter, record);
}

function keyOf({ owner, id }: { readonly owner: string; readonly id: string }): string {
  return `${owner}/${id}`;
}
