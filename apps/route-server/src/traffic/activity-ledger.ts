// The last requests for sandboxes, as the proxies of this replica report them.

/** A reported request. */
export interface LastRequest {
  /** Milliseconds since the epoch, whole seconds: the precision of the status. */
  readonly at: number;
  /** True if requests waited for a ready target when the last report was sent. */
  readonly isWaiting: boolean;
}

/** Last requests by Service of the baseline and sandbox. Bounded by the entries of the tables. */
export class ActivityLedger {
  readonly #tables = new Map<string, Map<string, LastRequest>>();

  /** Keys of the tables with reported requests. */
  keys(): IterableIterator<string> {
    return this.#tables.keys();
  }

  /** Returns the last requests of a table by UID of the sandbox. */
  of(key: string): ReadonlyMap<string, LastRequest> {
    return this.#tables.get(key) ?? new Map();
  }

  record(key: string, sandboxUid: string, { at, isWaiting }: LastRequest): void {
    const table = this.#tables.get(key) ?? new Map<string, LastRequest>();
    this.#tables.set(key, table);
    const before = table.get(sandboxUid)?.at ?? 0;
    table.set(sandboxUid, { at: Math.max(before, Math.floor(at / 1_000) * 1_000), isWaiting });
  }

  /** Removes sandboxes that have no entry in the table. Removes the table if it has no entries. */
  retain(key: string, sandboxUids: ReadonlySet<string>): void {
    const table = this.#tables.get(key);
    if (table === undefined) return;
    for (const uid of table.keys()) if (!sandboxUids.has(uid)) table.delete(uid);
    if (table.size === 0) this.#tables.delete(key);
  }
}
