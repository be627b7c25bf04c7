/** How many events are remembered per tenant. */
const eventsMax = 200;

/** Remembers which events were recorded, in memory only: after a restart an event may be recorded once more. */
export class EventDeduplicator {
  readonly #tenants = new Map<string, Map<string, number>>();

  /** Reports whether an event was not recorded within the last `pauseMs`, and remembers it. */
  isDue({ uid, event, now, pauseMs = Infinity }: EventQuery): boolean {
    const recorded = this.#tenants.get(uid) ?? new Map<string, number>();
    this.#tenants.set(uid, recorded);
    const last = recorded.get(event);
    if (last !== undefined && now - last < pauseMs) return false;
    if (recorded.size >= eventsMax) recorded.clear();
    recorded.set(event, now);
    return true;
  }

  /** Forgets a deleted tenant. */
  forget(uid: string): void {
    this.#tenants.delete(uid);
  }
}

interface EventQuery {
  readonly uid: string;
  readonly event: string;
  readonly now: number;
  /** Default: once. */
  readonly pauseMs?: number;
}
